/** Doubles of key services that check each request as their documents say. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { LocalSigner } from '#chain';
import { listening } from './listening';

const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
export const AWS_SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
export const VAULT_TOKEN = 'hvs.test-token-of-the-double';

export interface Answer {
  status: number;
  body: object;
}
type Route = (request: { path: string; headers: IncomingMessage['headers']; body: string }) => Promise<Answer> | Answer;

/** A key service that listens at `url`. `fail` answers each request until it is undefined again. */
export class KeyServiceDouble {
  readonly signer = LocalSigner.generate().signer;
  /** Signs in place of `signer`, as a service that mixes its keys up. */
  impostor: LocalSigner | undefined;
  fail: Answer | undefined;
  /** Answers the next requests with 503. */
  busyFor = 0;
  calls = 0;
  url = '';
  private readonly server: Server;

  constructor(route: (double: KeyServiceDouble) => Route) {
    const answer = route(this);
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.calls++;
        const asked = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
        const busy = this.busyFor > 0 && this.busyFor-- > 0 ? { status: 503, body: {} } : undefined;
        void Promise.resolve(busy ?? this.fail ?? answer(asked)).then(({ status, body }) =>
          response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
        );
      });
    });
  }

  async start(): Promise<this> {
    this.url = await listening(this.server);
    return this;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  async signature(base64: string): Promise<string> {
    return Buffer.from(await (this.impostor ?? this.signer).sign(Buffer.from(base64, 'base64'))).toString('base64');
  }
}

/** Vault's transit engine with a key `fee-payer` of ed25519 and a key `wrap`, which decrypts to `wrapped`. */
export function vault(wrapped: Buffer = randomBytes(32)): KeyServiceDouble {
  return new KeyServiceDouble((double) => async ({ path, headers, body }) => {
    if (headers['x-vault-token'] !== VAULT_TOKEN) return { status: 403, body: { errors: ['permission denied'] } };
    const [, action, name] = /^\/v1\/transit\/(keys|sign|decrypt)\/(\S+)$/.exec(path) ?? [];
    const asked = body === '' ? {} : (JSON.parse(body) as Record<string, string>);
    if (action === 'keys' && name === 'fee-payer') {
      const key = Buffer.from(double.signer.publicKey).toString('base64');
      return { status: 200, body: { data: { type: 'ed25519', latest_version: 2, keys: { 2: { public_key: key } } } } };
    }
    if (action === 'keys') return { status: 200, body: { data: { type: 'aes256-gcm96', latest_version: 1, keys: { 1: 1790000000 } } } };
    if (action === 'sign' && name === 'fee-payer')
      return { status: 200, body: { data: { signature: `vault:v2:${await double.signature(asked.input ?? '')}` } } };
    if (action === 'decrypt' && name === 'wrap' && asked.ciphertext === 'vault:v1:sealed')
      return { status: 200, body: { data: { plaintext: wrapped.toString('base64') } } };
    return { status: 400, body: { errors: ['invalid ciphertext: no prefix'] } };
  });
}

/** Google Cloud KMS and the metadata server, at one address. */
export function gcpKms(wrapped: Buffer = randomBytes(32)): KeyServiceDouble {
  return new KeyServiceDouble((double) => async ({ path, headers, body }) => {
    if (path.startsWith('/computeMetadata/'))
      return headers['metadata-flavor'] === 'Google'
        ? { status: 200, body: { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' } }
        : { status: 403, body: {} };
    if (headers.authorization !== 'Bearer ya29.token') return { status: 401, body: { error: { status: 'UNAUTHENTICATED' } } };
    const asked = body === '' ? {} : (JSON.parse(body) as Record<string, string>);
    if (path.endsWith('/fee-payer/cryptoKeyVersions/1/publicKey')) {
      const der = Buffer.concat([SPKI, Buffer.from(double.signer.publicKey)]).toString('base64');
      const pem = `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`;
      return { status: 200, body: { pem, algorithm: 'EC_SIGN_ED25519' } };
    }
    if (path.endsWith('/fee-payer/cryptoKeyVersions/1:asymmetricSign'))
      return { status: 200, body: { signature: await double.signature(asked.data ?? '') } };
    if (path.endsWith('/cryptoKeys/wrap:decrypt')) return { status: 200, body: { plaintext: wrapped.toString('base64') } };
    return { status: 404, body: { error: { status: 'NOT_FOUND' } } };
  });
}

/** AWS KMS with one key of ECC_NIST_EDWARDS25519, which moto lacks. Refuses a request that is not signed by Signature Version 4. */
export function awsKms(): KeyServiceDouble {
  return new KeyServiceDouble((double) => async ({ headers, body }) => {
    if (!isSignedByV4(headers, body)) return { status: 403, body: { __type: 'SignatureDoesNotMatch' } };
    const asked = JSON.parse(body) as Record<string, string>;
    if (asked.KeyId !== 'alias/fee-payer') return { status: 400, body: { __type: 'NotFoundException', message: 'no such key' } };
    if (headers['x-amz-target'] === 'TrentService.GetPublicKey') {
      const PublicKey = Buffer.concat([SPKI, Buffer.from(double.signer.publicKey)]).toString('base64');
      return { status: 200, body: { KeyId: asked.KeyId, PublicKey, KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' } };
    }
    if (headers['x-amz-target'] !== 'TrentService.Sign' || asked.MessageType !== 'RAW' || asked.SigningAlgorithm !== 'ED25519_SHA_512')
      return { status: 400, body: { __type: 'ValidationException' } };
    return { status: 200, body: { KeyId: asked.KeyId, Signature: await double.signature(asked.Message ?? '') } };
  });
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function isSignedByV4(headers: IncomingMessage['headers'], body: string): boolean {
  const [, scope = '', names = '', given = ''] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '') ?? [];
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = ['POST', '/', '', signed.join(''), names, hash(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, hash(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((last, part) => createHmac('sha256', last).update(part).digest(), `AWS4${AWS_SECRET}`);
  const expected = createHmac('sha256', key).update(text).digest();
  return given !== '' && timingSafeEqual(expected, Buffer.from(given, 'hex'));
}
