/** The names of Supabase's own files, and of ours. */
export const BASE = 'docker-compose.yml'
export const THEIRS = 'docker-compose.logs.yml'
export const OURS = 'docker-compose.logweir.yml'
export const OURS_OLDER = 'docker-compose.logweir-older.yml'

/** The common part of the services `analytics` and `vector` in Supabase's stacks of all ages. */
const ANALYTICS = `
  analytics:
    container_name: supabase-analytics
    image: supabase/logflare:1.43.1
    restart: unless-stopped
    healthcheck:
      test: [CMD-SHELL, "curl -sSfL -o /dev/null http://localhost:4000/health"]
      timeout: 5s
      interval: 5s
      retries: 10
    depends_on:
      db: { condition: service_healthy }
    environment:
      LOGFLARE_NODE_HOST: 127.0.0.1
      DB_HOSTNAME: \${POSTGRES_HOST}
      DB_PASSWORD: \${POSTGRES_PASSWORD}
      LOGFLARE_SUPABASE_MODE: "true"
      LOGFLARE_PUBLIC_ACCESS_TOKEN: \${LOGFLARE_PUBLIC_ACCESS_TOKEN}
      LOGFLARE_PRIVATE_ACCESS_TOKEN: \${LOGFLARE_PRIVATE_ACCESS_TOKEN}
      POSTGRES_BACKEND_URL: postgresql://supabase_admin:\${POSTGRES_PASSWORD}@\${POSTGRES_HOST}/_supabase
`
const VECTOR = `
  vector:
    container_name: supabase-vector
    image: timberio/vector:0.53.0-alpine
    restart: unless-stopped
    volumes:
      - ./volumes/logs/vector.yml:/etc/vector/vector.yml:ro,z
      - \${DOCKER_SOCKET_LOCATION}:/var/run/docker.sock:ro,z
    environment:
      LOGFLARE_PUBLIC_ACCESS_TOKEN: \${LOGFLARE_PUBLIC_ACCESS_TOKEN}
    command: [--config, /etc/vector/vector.yml]
    security_opt: ["label=disable"]
`
const AFTER_ANALYTICS = `    depends_on:
      analytics:
        condition: service_healthy
`

/** A stack since 3 June 2026, cut down: the services for logs are an optional overlay. */
export const STACK: Readonly<Record<string, string>> = {
  [BASE]: `name: supabase
services:
  studio:
    image: supabase/studio:2026.06.01
    depends_on: { db: { condition: service_healthy } }
    environment:
      STUDIO_PG_META_URL: http://meta:8080
      ENABLED_FEATURES_LOGS_ALL: "false"
  db:
    image: supabase/postgres:15.8.1.085
`,
  [THEIRS]: `services:
  studio:
${AFTER_ANALYTICS}    environment:
      LOGFLARE_PRIVATE_ACCESS_TOKEN: \${LOGFLARE_PRIVATE_ACCESS_TOKEN}
      LOGFLARE_URL: http://analytics:4000
      ENABLED_FEATURES_LOGS_ALL: "true"
${ANALYTICS}${VECTOR}${AFTER_ANALYTICS}`,
}

/** The services that wait for `analytics` in older stacks. */
export const WAITING = ['studio', 'kong', 'auth', 'rest', 'realtime', 'meta', 'functions', 'supavisor'] as const

/** A stack before 3 June 2026, cut down: `analytics` publishes its port, and the database waits for Vector. */
export const OLDER_STACK: Readonly<Record<string, string>> = {
  [BASE]: `name: supabase
services:
${WAITING.map((name) => `  ${name}:\n    image: supabase/${name}:1\n${AFTER_ANALYTICS}`).join('')}
  db:
    image: supabase/postgres:15.8.1.060
    depends_on: { vector: { condition: service_healthy } }
${ANALYTICS}    ports:
      - 4000:4000
${VECTOR}`,
}

/** The variables of `.env`, with tokens that are in use nowhere. */
export const ENV = {
  POSTGRES_HOST: 'db',
  POSTGRES_PASSWORD: 'password-of-postgres',
  LOGFLARE_PUBLIC_ACCESS_TOKEN: 'public-token-0123456789abcdef',
  LOGFLARE_PRIVATE_ACCESS_TOKEN: 'private-token-0123456789abcdef',
  DOCKER_SOCKET_LOCATION: '/var/run/docker.sock',
} as const
