import { readFileSync } from 'node:fs';
import { type KeyService, KeySourceError } from './key-source';
import { callJson } from './requests';

const SERVICE = 'Vault';

/**
 * HashiCorp Vault's transit engine (https://developer.hashicorp.com/vault/api-docs/secret/transit). Its address, token, namespace and mount are
 * in VAULT_ADDR, VAULT_TOKEN or VAULT_TOKEN_FILE, VAULT_NAMESPACE and VAULT_TRANSIT_MOUNT, as its own tools read them.
 */
export class Vault implements KeyService {
  private readonly environment: NodeJS.ProcessEnv;

  constructor({ VAULT_ADDR, VAULT_TOKEN, VAULT_TOKEN_FILE, VAULT_NAMESPACE, VAULT_TRANSIT_MOUNT }: NodeJS.ProcessEnv) {
    this.environment = { VAULT_ADDR, VAULT_TOKEN, VAULT_TOKEN_FILE, VAULT_NAMESPACE, VAULT_TRANSIT_MOUNT };
  }

  /** `<key>:vault:v1:…`, as `vault write transit/encrypt/<key>` prints it. */
  async unwrap(rest: string): Promise<Buffer> {
    const [, key = '', ciphertext = ''] = /^([^:]+):(vault:v\d+:.+)$/s.exec(rest) ?? [];
    if (key === '') throw new KeySourceError('a key of Vault is <key>:vault:v1:<ciphertext>', false);
    const { plaintext } = await this.call(`decrypt/${encodeURIComponent(key)}`, { ciphertext });
    return Buffer.from(textOf(plaintext), 'base64');
  }

  async publicKey(key: string): Promise<Uint8Array> {
    const { type, latest_version: latest, keys } = await this.call(`keys/${encodeURIComponent(key)}`);
    if (type !== 'ed25519') throw new KeySourceError(`the key ${key} of Vault is ${String(type)} and not ed25519`, false);
    const { public_key: publicKey } = ((keys ?? {}) as Record<string, { public_key?: unknown }>)[String(latest)] ?? {};
    return Buffer.from(textOf(publicKey), 'base64');
  }

  async sign(key: string, message: Uint8Array): Promise<Uint8Array> {
    const { signature } = await this.call(`sign/${encodeURIComponent(key)}`, { input: Buffer.from(message).toString('base64') });
    const [, bytes = ''] = /^vault:v\d+:(.+)$/.exec(textOf(signature)) ?? [];
    return Buffer.from(bytes, 'base64');
  }

  private async call(path: string, body?: object): Promise<Record<string, unknown>> {
    const { VAULT_ADDR, VAULT_NAMESPACE, VAULT_TRANSIT_MOUNT = 'transit' } = this.environment;
    if (!VAULT_ADDR) throw new KeySourceError('VAULT_ADDR is missing: the address of Vault', false);
    const headers = { 'X-Vault-Token': this.token(), ...(VAULT_NAMESPACE && { 'X-Vault-Namespace': VAULT_NAMESPACE }) };
    const url = `${VAULT_ADDR.replace(/\/$/, '')}/v1/${VAULT_TRANSIT_MOUNT}/${path}`;
    const { data } = await callJson(SERVICE, url, { headers, ...(body && { body }) });
    return (data ?? {}) as Record<string, unknown>;
  }

  /** Read at each call: an agent beside the service renews the file. */
  private token(): string {
    const { VAULT_TOKEN, VAULT_TOKEN_FILE } = this.environment;
    if (VAULT_TOKEN) return VAULT_TOKEN;
    if (!VAULT_TOKEN_FILE) throw new KeySourceError('VAULT_TOKEN or VAULT_TOKEN_FILE is missing', false);
    try {
      return readFileSync(VAULT_TOKEN_FILE, 'utf8').trim();
    } catch (error) {
      throw new KeySourceError(`VAULT_TOKEN_FILE cannot be read: ${VAULT_TOKEN_FILE}`, false, { cause: error });
    }
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new KeySourceError(`${SERVICE} answered without what was asked for`, false);
  return value;
}
