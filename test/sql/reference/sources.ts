const GOOGLESQL = 'https://cloud.google.com/bigquery/docs/reference/standard-sql'

/** A page that decides answers. A source of a case is `page` or `page#section`. */
interface Page {
  title: string
  url?: string
}

/** The pages that the tables name as the sources of their cases. */
export const PAGES: Readonly<Record<string, Page>> = {
  strings: { title: 'String functions', url: `${GOOGLESQL}/string_functions` },
  numbers: { title: 'Mathematical functions', url: `${GOOGLESQL}/mathematical_functions` },
  dates: { title: 'Date functions', url: `${GOOGLESQL}/date_functions` },
  datetimes: { title: 'Datetime functions', url: `${GOOGLESQL}/datetime_functions` },
  timestamps: { title: 'Timestamp functions', url: `${GOOGLESQL}/timestamp_functions` },
  formats: { title: 'Format elements', url: `${GOOGLESQL}/format-elements` },
  json: { title: 'JSON functions', url: `${GOOGLESQL}/json_functions` },
  choices: { title: 'Conditional expressions', url: `${GOOGLESQL}/conditional_expressions` },
  casts: { title: 'Conversion functions', url: `${GOOGLESQL}/conversion_functions` },
  operators: { title: 'Operators', url: `${GOOGLESQL}/operators` },
  aggregates: { title: 'Aggregate functions', url: `${GOOGLESQL}/aggregate_functions` },
  approximate: { title: 'Approximate aggregate functions', url: `${GOOGLESQL}/approximate_aggregate_functions` },
  lexical: { title: 'Lexical structure and syntax', url: `${GOOGLESQL}/lexical` },
  queries: { title: 'Query syntax', url: `${GOOGLESQL}/query-syntax` },
  types: { title: 'Data types', url: `${GOOGLESQL}/data-types` },
  re2: { title: 'RE2 syntax', url: 'https://github.com/google/re2/wiki/Syntax' },
  unicode: {
    title: 'Unicode, CaseFolding.txt and PropList.txt',
    url: 'https://www.unicode.org/Public/UCD/latest/ucd/',
  },
  rfc8259: {
    title: 'The JavaScript Object Notation (JSON) Data Interchange Format',
    url: 'https://www.rfc-editor.org/rfc/rfc8259',
  },
  /** The contract of the product, which decides where the product deviates from BigQuery on purpose. */
  contract: { title: 'CONTRACT-SQL.md, sections 1 to 3; what docs/sql.md says under "What to expect"' },
}
