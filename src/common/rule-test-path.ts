/** The path of tests of alert rules, for the service and its clients. */
export const RULE_TEST_PATH = '/api/alerting/test'
