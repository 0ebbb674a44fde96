import type { KMSClient } from '@aws-sdk/client-kms';
import { type KeyService, KeySourceError } from './key-source';
import { ATTEMPTS, CALL_TIMEOUT_MS, isBusy } from './requests';

type Sdk = typeof import('@aws-sdk/client-kms');

/** The algorithm of ECC_NIST_EDWARDS25519 keys over the message itself (https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html). */
const ED25519 = 'ED25519_SHA_512';
/** The DER form of an Ed25519 public key before its 32 bytes (RFC 8410). */
const SPKI_BYTES = 44;

/**
 * AWS KMS, by the AWS SDK, which is loaded when it is named. Region, credentials and endpoint are the SDK's own settings: AWS_REGION, a role or
 * AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL.
 */
export class AwsKms implements KeyService {
  private loaded: Promise<{ sdk: Sdk; client: KMSClient }> | undefined;

  /** The base64 of what `aws kms encrypt` prints, which names its key itself. */
  async unwrap(rest: string): Promise<Buffer> {
    const { Plaintext } = await this.call((sdk, client, options) =>
      client.send(new sdk.DecryptCommand({ CiphertextBlob: Buffer.from(rest, 'base64') }), options),
    );
    return Buffer.from(Plaintext ?? []);
  }

  async publicKey(key: string): Promise<Uint8Array> {
    const { PublicKey, KeySpec } = await this.call((sdk, client, options) =>
      client.send(new sdk.GetPublicKeyCommand({ KeyId: key }), options),
    );
    if (String(KeySpec) !== 'ECC_NIST_EDWARDS25519' || PublicKey?.length !== SPKI_BYTES)
      throw new KeySourceError(`the key ${key} of AWS KMS is ${String(KeySpec)} and not ECC_NIST_EDWARDS25519`, false);
    return PublicKey.subarray(-32);
  }

  async sign(key: string, message: Uint8Array): Promise<Uint8Array> {
    const { Signature } = await this.call((sdk, client, options) =>
      client.send(new sdk.SignCommand({ KeyId: key, Message: message, MessageType: 'RAW', SigningAlgorithm: ED25519 }), options),
    );
    return Signature ?? new Uint8Array();
  }

  private async call<T>(command: (sdk: Sdk, client: KMSClient, options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    const { sdk, client } = await (this.loaded ??= this.load());
    try {
      return await command(sdk, client, { abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS * ATTEMPTS) });
    } catch (error) {
      const { name = 'Error', $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
      const status = $metadata?.httpStatusCode;
      const isPassing = status === undefined || isBusy(status) || name === 'ThrottlingException';
      throw new KeySourceError(`AWS KMS: ${name}: ${error instanceof Error ? error.message : ''}`, isPassing, { cause: error });
    }
  }

  private async load(): Promise<{ sdk: Sdk; client: KMSClient }> {
    try {
      const sdk = await import('@aws-sdk/client-kms');
      return { sdk, client: new sdk.KMSClient({ maxAttempts: ATTEMPTS, requestHandler: { requestTimeout: CALL_TIMEOUT_MS } }) };
    } catch (error) {
      throw new KeySourceError('aws-kms: needs the package @aws-sdk/client-kms: npm install @aws-sdk/client-kms', false, { cause: error });
    }
  }
}
