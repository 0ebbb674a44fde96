/** The source of a key of a setting: `<source>:<rest>`. */
export type Source = 'file' | 'env' | 'vault' | 'aws-kms' | 'gcp-kms' | 'module';

/** A setting's value with its source in front of it. */
export interface Named {
  source: Source;
  rest: string;
}

const NAMED = /^(file|env|vault|aws-kms|gcp-kms|module):(.+)$/s;
/** The sources whose keys sign where they are: they never leave them. */
const SIGNERS: ReadonlySet<string> = new Set(['vault', 'aws-kms', 'gcp-kms', 'module'] satisfies Source[]);

/** The source in a value; undefined for a value that is the key itself. */
export function named(value: string): Named | undefined {
  const [, source, rest] = NAMED.exec(value) ?? [];
  return source === undefined || rest === undefined ? undefined : { source: source as Source, rest };
}

/** A comma that is not between the numbers of a keypair. */
const BETWEEN_KEYS = /,(?![^[]*\])/;

/** The keys in a list that is separated by commas. */
export function parted(value: string): string[] {
  return value.split(BETWEEN_KEYS).map((key) => key.trim());
}

/** Whether a value names a key that signs where it is. */
export function isRemoteSigner(value: unknown): value is string {
  return typeof value === 'string' && SIGNERS.has(named(value)?.source ?? '');
}

/** A key service refused, or did not answer. The message never contains a key or a token. */
export class KeySourceError extends Error {
  override readonly name = 'KeySourceError';

  constructor(
    message: string,
    /** Whether the same call may succeed later. */
    readonly isPassing: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A service that holds keys. */
export interface KeyService {
  /** Decrypts a wrapped key. @throws KeySourceError */
  unwrap(rest: string): Promise<Buffer>;
  /** The 32 bytes of an Ed25519 key's public part. @throws KeySourceError */
  publicKey(key: string): Promise<Uint8Array>;
  /** Signs with Ed25519 and does not verify the signature. @throws KeySourceError */
  sign(key: string, message: Uint8Array): Promise<Uint8Array>;
}
