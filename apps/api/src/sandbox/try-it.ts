import { join, resolve } from 'node:path';

/**
 * The first things to try: the README's first transfer, and fleets. The transfer's commands read these variables, and the key from its
 * file, so that it appears in no log.
 */
export function transferToTry(baseUrl: string, dataDir: string): string {
  const file = join(resolve(dataDir), 'sandbox.json');
  return [
    'A first transfer is in README.md, "A transfer by curl". In the other shell, before it:',
    `  export BASE_URL=${baseUrl} OPERATOR_KEY=$(node -p "require('${file}').operator_key")`,
    `Many agents under one limit and one pause, which the chain enforces: ${baseUrl}/docs/guides/fleets`,
  ].join('\n');
}
