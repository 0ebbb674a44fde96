import bs58 from 'bs58';
import { ChainUnavailableError, isSignedBy, type Signer } from '#chain';
import { type KeyService, KeySourceError } from './key-source';

const PUBLIC_KEY_BYTES = 32;
/** Signed at the start, so that a key that is disabled, or that may not sign, is found before money waits for it. */
const PROBE = Buffer.from('agent-payment-service: may this key sign?');

/** A key that signs in a key service. Each signature is verified before it is used. */
export class RemoteSigner implements Signer {
  /** Private also to what prints objects: it holds tokens. */
  readonly #service: KeyService;

  private constructor(
    service: KeyService,
    private readonly key: string,
    readonly address: string,
  ) {
    this.#service = service;
  }

  /** @throws KeySourceError for a key that is not of Ed25519, cannot be read, or does not sign */
  static async of(service: KeyService, key: string): Promise<RemoteSigner> {
    const publicKey = await service.publicKey(key);
    if (publicKey.length !== PUBLIC_KEY_BYTES) throw new KeySourceError(`the public key of ${key} has ${publicKey.length} bytes`, false);
    const signer = new RemoteSigner(service, key, bs58.encode(publicKey));
    await signer.signature(PROBE);
    return signer;
  }

  /** @throws ChainUnavailableError if the service does not sign: nothing was sent */
  async sign(message: Uint8Array): Promise<Uint8Array> {
    try {
      return await this.signature(message);
    } catch (error) {
      if (!(error instanceof KeySourceError)) throw error;
      throw new ChainUnavailableError(`the key ${this.address} did not sign: ${error.message}`, { cause: error });
    }
  }

  private async signature(message: Uint8Array): Promise<Uint8Array> {
    const signature = await this.#service.sign(this.key, message);
    if (!isSignedBy(this.address, message, signature))
      throw new KeySourceError(`the signature of ${this.key} is not of its public key, or of another message`, false);
    return signature;
  }
}
