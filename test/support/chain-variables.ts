/**
 * The settings that point a service at the chain under test, for `startService` in every process of the tests: none for the embedded
 * chain, a complete set for a validator. Apart from chain-under-test.ts, which loads the libraries that prepare a chain.
 */
export function chainVariables(): Record<string, string> {
  return process.env.TEST_CHAIN_VARIABLES ? (JSON.parse(process.env.TEST_CHAIN_VARIABLES) as Record<string, string>) : {};
}
