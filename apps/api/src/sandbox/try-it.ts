import { join, resolve } from 'node:path';

/** The first transfer: the README's. Its commands read these variables, and the key from its file, so that it appears in no log. */
export function transferToTry(baseUrl: string, dataDir: string): string {
  const file = join(resolve(dataDir), 'sandbox.json');
  return [
    'A first transfer is in README.md, "A transfer by curl". In the other shell, before it:',
    `  export BASE_URL=${baseUrl} OPERATOR_KEY=$(node -p "require('${file}').operator_key")`,
  ].join('\n');
}
