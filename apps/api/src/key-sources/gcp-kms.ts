import { type KeyService, KeySourceError } from './key-source';
import { callJson } from './requests';

const SERVICE = 'Google Cloud KMS';
const ENDPOINT = 'https://cloudkms.googleapis.com';
const METADATA = 'metadata.google.internal';
/** Time before its end at which a token is renewed, in milliseconds. */
const TOKEN_MARGIN_MS = 60_000;
const PEM = /-----(?:BEGIN|END) PUBLIC KEY-----|\s/g;

/**
 * Google Cloud KMS over REST (https://cloud.google.com/kms/docs/reference/rest), with the token of the machine's service account, which the
 * metadata server issues. GCE_METADATA_HOST and GCP_KMS_ENDPOINT name others.
 */
export class GcpKms implements KeyService {
  private token: { value: string; until: number } | undefined;

  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /** `projects/…/cryptoKeys/<key>:<ciphertext in base64>`. */
  async unwrap(rest: string): Promise<Buffer> {
    const [, key = '', ciphertext = ''] = /^(projects\/[^:]+):([A-Za-z0-9+/=]+)$/.exec(rest) ?? [];
    if (key === '') throw new KeySourceError('a key of Google Cloud KMS is projects/…/cryptoKeys/<key>:<ciphertext in base64>', false);
    const { plaintext } = await this.call(`${key}:decrypt`, { ciphertext });
    return Buffer.from(String(plaintext), 'base64');
  }

  /** `key` is the name of a version: `projects/…/cryptoKeyVersions/1`, of the algorithm EC_SIGN_ED25519. */
  async publicKey(key: string): Promise<Uint8Array> {
    const { pem, algorithm } = await this.call(`${key}/publicKey`);
    if (algorithm !== 'EC_SIGN_ED25519') throw new KeySourceError(`the key ${key} is ${String(algorithm)} and not EC_SIGN_ED25519`, false);
    return Buffer.from(String(pem).replace(PEM, ''), 'base64').subarray(-32);
  }

  async sign(key: string, message: Uint8Array): Promise<Uint8Array> {
    const { signature } = await this.call(`${key}:asymmetricSign`, { data: Buffer.from(message).toString('base64') });
    return Buffer.from(String(signature), 'base64');
  }

  private async call(path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { Authorization: `Bearer ${await this.accessToken()}` };
    return callJson(SERVICE, `${this.environment.GCP_KMS_ENDPOINT ?? ENDPOINT}/v1/${path}`, { headers, ...(body && { body }) });
  }

  private async accessToken(): Promise<string> {
    if (this.token && performance.now() < this.token.until) return this.token.value;
    const host = this.environment.GCE_METADATA_HOST ?? METADATA;
    const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
    const { access_token: value, expires_in: seconds } = await callJson('the metadata server', url, {
      headers: { 'Metadata-Flavor': 'Google' },
    });
    this.token = { value: String(value), until: performance.now() + Number(seconds) * 1_000 - TOKEN_MARGIN_MS };
    return this.token.value;
  }
}
