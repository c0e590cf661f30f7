import { describe, expect, it } from 'vitest'
import { checkBlock, LANGUAGES } from './blocks.js'
import { DOCUMENTS } from './documents.js'

const BLOCKS = DOCUMENTS.flatMap(({ blocks }) => blocks)

it('no fence is left open, and every language is shown somewhere', () => {
  const fences = DOCUMENTS.map(({ text }) => text.match(/^ *```/gm)?.length ?? 0)
  expect(fences.map((count, i) => [DOCUMENTS[i]!.path, count])).toEqual(
    DOCUMENTS.map(({ path, blocks }) => [path, 2 * blocks.length]),
  )
  expect([...new Set(BLOCKS.map(({ language }) => language))].sort()).toEqual(Object.keys(LANGUAGES).sort())
})

describe('what the pages show works:', () => {
  it.each(BLOCKS.map((block) => [block.place, block]))('%s', (_, block) => checkBlock(block))
})

const ASK = 'curl -H "X-API-KEY: $LOGWEIR_TOKEN"'
const SINK = 'type: http, method: post'

describe('what would not work is seen:', () => {
  it.each([
    ['', 'a', 'nobody checks blocks of no language'],
    ['ruby', 'a', 'nobody checks blocks of ruby'],
    ['sh', '# nothing', 'no command'],
    ['sh', 'wget a', 'nobody checks the program wget'],
    ['sh', 'logweir server', 'unknown command "server"'],
    ['sh', 'tail -F a | dist/cli.js serve --prot 1', 'unknown flag --prot'],
    ['sh', 'logweir serve --port x', '--port: "x" is not'],
    ['sh', 'logweir serve --source Nginx', '--source: "Nginx" is not'],
    ['sh', 'logweir query logs.all --project a --interval 1day', 'unknown flag --interval'],
    ['sh', 'logweir serve --config logweir.toml', 'docs/page.md shows no file of settings'],
    ['sh', 'npm run tests', 'package.json has no script tests'],
    ['sh', 'npm ci && npm tests', 'package.json has no script tests'],
    ['sh', 'npm ci --prefix test/none', 'there is no test/none/package.json'],
    ['sh', 'docker pull a', 'nobody checks docker pull'],
    ['sh', 'docker build --tag registry.example.com/logweir:0.0.1 .', 'there is no registry.example.com/logweir:0.0.1'],
    ['sh', 'docker push logweir', 'there is no logweir'],
    ['sh', 'kubectl delete pod logweir-0', 'nobody checks kubectl delete'],
    ['sh', 'kubectl apply -f deploy/kubernetes', 'nobody checks kubectl apply -f'],
    ['sh', 'kubectl apply -k deploy/none', 'there is no deploy/none/kustomization.yaml'],
    ['sh', 'kubectl create secret generic logweir --from-file=token=a', 'there is no logweir/token'],
    ['sh', "kubectl get secret logweir -o jsonpath='{.data.token}'", 'there is no logweir/token'],
    ['sh', 'kubectl exec logweir-1 -- node /app/dist/cli.js health', 'there is no logweir-1'],
    ['sh', 'kubectl exec logweir-0 -- logweir health', 'there is no -- logweir health'],
    ['sh', 'kubectl exec logweir-0 -- node /app/dist/cli.js helth', 'unknown command "helth"'],
    ['sh', 'kubectl port-forward service/logweir 80', 'there is no service/logweir 80'],
    ['sh', 'kubectl rollout status statefulset/logwier', 'there is no statefulset/logwier'],
    ['sh', 'docker compose -f docker-compose.yml -f a.yml up', 'there is no deploy/supabase/a.yml'],
    ['sh', 'docker compose -f docker-compose.yml run --rm analytics imports', 'unknown command "imports"'],
    ['sh', 'docker exec logweir ls', 'there is no logweir'],
    ['sh', "docker exec supabase-analytics sh -c 'ls'", 'nobody checks ls in a container'],
    ['sh', "docker exec supabase-analytics sh -c 'curl http://a/b'", 'the service has no GET /b'],
    ['sh', 'docker volume rm logweir', 'there is no logweir'],
    ['sh', 'sh run.sh config add logwier', 'there is no deploy/supabase/docker-compose.logwier.yml'],
    ['sh', 'sh none.sh', 'there is no deploy/supabase/none.sh'],
    ['sh', 'cp none there', 'there is no none'],
    ['sh', 'curl -s a', 'nobody checks this of curl: -s'],
    ['sh', `${ASK} http://a/api/endpoint/query/logs.all?project=a`, 'the service has no GET /api/endpoint/query'],
    ['sh', `${ASK} 'http://a/api/tail?project=a&since=1'`, '/api/tail has no parameter since'],
    ['sh', `${ASK} -H 'X-Token: a' http://a/health`, 'nobody reads the header X-Token'],
    ['sh', 'curl http://a/api/tail?project=a', 'is answered with 401'],
    ['sh', 'curl -H "X-API-KEY: $TOKEN" http://a/api/tail?project=a', 'is answered with 401'],
    ['sh', `${ASK} http://a/api/endpoints/query/logs.all`, '"code":"missing_parameter"'],
    ['sh', `${ASK} -d '{}' http://a/api/logs`, '"code":"unsupported_content_type"'],
    [
      'sh',
      `${ASK} -H 'Content-Type: application/json' -d '[{"id":1},{}]' http://a/api/logs?source=auth_logs`,
      '"taken":1',
    ],
    ['sh', 'export LOGWEIR_TOKENS=a', 'nobody knows LOGWEIR_TOKENS=a'],
    ['sh', 'LOGWEIR_TOKENS=a docker compose up', 'nobody knows LOGWEIR_TOKENS=a'],
    ['dotenv', 'OTEL_EXPORTER_OTLP_ENDPOINTS=http://a', 'nobody knows OTEL_EXPORTER_OTLP_ENDPOINTS'],
    ['dotenv', 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://a/v1/log', 'the service has no POST /v1/log'],
    ['dotenv', 'OTEL_EXPORTER_OTLP_LOGS_HEADERS=x-key=A', 'nobody knows OTEL_EXPORTER_OTLP_LOGS_HEADERS'],
    ['dotenv', 'OTEL_RESOURCE_ATTRIBUTES=logweir.source=A,logweir.project=b', 'nobody knows OTEL_RESOURCE_ATTRIBUTES'],
    ['json', '{"a":1,}', 'in JSON at position 7'],
    ['json', '{"source":"edge_logs","id":5}', 'the program does not take'],
    ['toml', 'port 4000', 'Invalid TOML'],
    ['toml', 'prot = 4000', 'a file of settings cannot say prot'],
    ['toml', 'port = 400000', 'a file of settings cannot say port'],
    ['yaml', 'a: ["b"', 'Flow sequence'],
    ['yaml', `sinks: { a: { ${SINK}, uri: "http://a/api/log" } }`, 'the service has no post /api/log'],
    ['yaml', `sinks: { a: { ${SINK}, uri: "http://a/api/logs?source=a" } }`, 'no source a'],
    [
      'yaml',
      `sinks: { a: { ${SINK}, uri: "http://a/api/logs", codec: json } }`,
      'deploy/vector.yaml has another codec',
    ],
    ['yaml', `sinks: { a: { ${SINK}, uri: "http://a/api/logs", request: { headers: { k: v } } } }`, 'the header k'],
    ['js', 'export default {', 'Parse failed'],
    ['mermaid', 'graph LR', 'no flowchart: graph LR'],
    ['mermaid', 'flowchart LR\n  a["b"] -> c', 'no edge:   a'],
    ['mermaid', 'flowchart LR\n  a -->|"GET /api/log"| b', 'the service has no GET /api/log'],
    ['xml', '<a><b></a></b>', 'a ends without its beginning'],
    ['xml', '<a><b></b>', 'no XML: a'],
    ['sql', 'ALTER TABLE logweir.edge_log DROP PARTITION 1', 'nobody checks this statement', 'docs/scale-out.md'],
    ['sql', 'select 1 from edge_log', 'edge_log'],
    ['sql', '-- param a: text\nselect 1', 'declared but not used'],
    ['sql', '-- id: 1\nselect 1', 'is not a UUID'],
    ['text', 'a', 'nobody checks texts of docs/page.md'],
    ['text', 'logweir-data/\n  formats.json', 'the program writes no formats.json', 'docs/operations.md'],
    ['text', 'fault: a', 'logweir check does not print: fault: a', 'docs/operations.md'],
    ['text', 'retry: 2000\n\nid: 1\ndata: {}\n\n', 'no stream of events', 'docs/tail.md'],
    ['text', 'retry: 2000\n: logweir\n\nid: 1.1\ndata: {}\n\n', 'no row of logs.all', 'docs/tail.md'],
    ['text', 'a (2 × 3 ÷ 4 = 3)', 'is 1.5', 'docs/scale-out.md'],
    ['text', 'user endpoints: it is wrong', 'the service writes user endpoints: ', 'docs/own-endpoints.md'],
  ])('%s: %s: %s', async (language, text, message, document = 'docs/page.md') => {
    await expect(async () => checkBlock({ place: '', document, language, text })).rejects.toThrow(message)
  })
})
