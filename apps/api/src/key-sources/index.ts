/** Sources of keys: files, variables, Vault, AWS KMS, Google Cloud KMS, or a module of the operator's. */
import { readFileSync } from 'node:fs';
import { LocalSigner, type Signer } from '#chain';
import { AwsKms } from './aws-kms';
import { GcpKms } from './gcp-kms';
import { isRemoteSigner, type KeyService, KeySourceError, type Named, named, parted, type Source } from './key-source';
import { ModuleSource } from './module-source';
import { RemoteSigner } from './remote-signer';
import { Vault } from './vault';

export { isRemoteSigner, KeySourceError, parted } from './key-source';

/** The settings that are keys of 32 bytes, and are decrypted at the start. */
const ENCRYPTION_KEYS = [
  'KEY_ENCRYPTION_KEY',
  'OPERATOR_KEY_ENCRYPTION_KEY',
  'PREVIOUS_KEY_ENCRYPTION_KEY',
  'PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY',
] as const;
/** The settings that are keypairs. Those in a key service stay there. */
const KEYPAIRS = ['FEE_PAYER_KEY', 'PAUSE_FEE_PAYER_KEY', 'FEE_PAYER_KEYS', 'TREASURY_KEY', 'MINT_AUTHORITY_KEY', 'TEST_MINT_KEY'] as const;
const KEY_BYTES = 32;

/** The keys that settings name, in the services that the variables of an environment describe. */
export class KeySources {
  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /**
   * The variables with each key that a file, another variable or a key service holds in its place. A keypair in a key service stays its
   * name: see `signerOf`. @throws KeySourceError with a sentence that names the setting
   */
  async resolve(): Promise<NodeJS.ProcessEnv> {
    const keys: NodeJS.ProcessEnv = {};
    for (const setting of [...ENCRYPTION_KEYS, ...KEYPAIRS]) {
      const value = this.environment[setting];
      if (value !== undefined) keys[setting] = await naming(setting, () => this.readAll(setting, value));
    }
    return { ...this.environment, ...keys };
  }

  /** The signer of a setting: a keypair, or the name of one in a key service. @throws KeySourceError */
  async signerOf(setting: string, key: Uint8Array | string): Promise<Signer> {
    if (typeof key !== 'string') return LocalSigner.fromSeed(key);
    const source = named(key);
    if (!source || !isRemoteSigner(key)) throw new KeySourceError(`${setting} names no key`, false);
    return naming(setting, () => RemoteSigner.of(this.serviceOf(source.source), source.rest));
  }

  /** The keys of a setting, each read from its source. Those that have none stay as they are. */
  private async readAll(setting: string, value: string): Promise<string> {
    const keys = parted(value).map((key) => {
      const source = named(key);
      return source ? this.read(setting, source) : key;
    });
    return (await Promise.all(keys)).join(',');
  }

  private async read(setting: string, { source, rest }: Named): Promise<string> {
    if (source === 'file') return contentOf(rest);
    if (source === 'env') {
      const value = this.environment[rest];
      if (value === undefined || value === '') throw new KeySourceError(`the variable ${rest} is not set`, false);
      return value;
    }
    if (KEYPAIRS.some((keypair) => keypair === setting)) return `${source}:${rest}`;
    const key = await this.serviceOf(source).unwrap(rest);
    if (key.length !== KEY_BYTES) throw new KeySourceError(`the key has ${key.length} bytes and not ${KEY_BYTES}`, false);
    return key.toString('base64');
  }

  private serviceOf(source: Source): KeyService {
    switch (source) {
      case 'vault':
        return new Vault(this.environment);
      case 'aws-kms':
        return new AwsKms();
      case 'gcp-kms':
        return new GcpKms(this.environment);
      case 'module':
        return new ModuleSource();
      default:
        throw new KeySourceError(`${source}: holds no keys that sign`, false);
    }
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new KeySourceError(`the file ${path} cannot be read`, false, { cause: error });
  }
}

async function naming<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KeySourceError(`${setting}: ${reason}.`, error instanceof KeySourceError && error.isPassing, { cause: error });
  }
}
