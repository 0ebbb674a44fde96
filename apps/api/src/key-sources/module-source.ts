import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type KeyService, KeySourceError } from './key-source';

/** The default export of a module that holds keys, or what it resolves to. */
interface KeyModule {
  /** The 32 bytes that a wrapped key decrypts to. */
  unwrap?(): Promise<Uint8Array> | Uint8Array;
  /** The 32 bytes of the public key. */
  publicKey?: Uint8Array;
  /** Signs with Ed25519: 64 bytes. */
  sign?(message: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

/** A module of the operator's own, such as one for a key service that has no source here. `rest` is its path. */
export class ModuleSource implements KeyService {
  async unwrap(path: string): Promise<Buffer> {
    const { unwrap } = await load(path);
    if (!unwrap) throw new KeySourceError(`module:${path} has no function unwrap`, false);
    return Buffer.from(await unwrap());
  }

  async publicKey(path: string): Promise<Uint8Array> {
    const { publicKey } = await load(path);
    if (!publicKey) throw new KeySourceError(`module:${path} has no publicKey of 32 bytes`, false);
    return publicKey;
  }

  async sign(path: string, message: Uint8Array): Promise<Uint8Array> {
    const { sign } = await load(path);
    if (!sign) throw new KeySourceError(`module:${path} has no function sign`, false);
    return sign(message);
  }
}

async function load(path: string): Promise<KeyModule> {
  try {
    const loaded = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown };
    // A CommonJS module has its exports also under `default`.
    return ((await loaded.default) ?? loaded) as KeyModule;
  } catch (error) {
    throw new KeySourceError(`module:${path} cannot be loaded`, false, { cause: error });
  }
}
