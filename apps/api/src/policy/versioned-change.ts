/** A change on chain that is bound to the version that was read: of a policy, or of the limits of a fleet. */
import { setTimeout } from 'node:timers/promises';
import { lacksSignature, type Signer } from '#chain';
import { SignatureRequired } from '../signatures';

/** How often a change is tried when a concurrent one landed first, and the longest pause before the next try. */
const MAX_TRIES = 10;
const MAX_PAUSE_MS = 400;

export interface VersionedChange<Current, Staged = undefined> {
  /** The change to apply. Throws if the caller expects another version. */
  read: () => Promise<Current>;
  versionOf: (current: Current) => bigint;
  /** Whether no field is named. */
  isEmpty: boolean;
  /** The operator's signer for a change of this version. Called before each try, because the key may be rotated at any time. */
  signer: (version: bigint) => Promise<Signer>;
  /** Sends what the change refers to, such as long lists. The operator may have to sign each part of it. */
  stage?: (version: bigint, signer: Signer) => Promise<Staged>;
  /** Called before the change itself is sent; not if the operator has not signed it yet. */
  prepare?: ((current: Current) => Promise<void>) | undefined;
  send: (
    version: bigint,
    signer: Signer,
    staged: Staged | undefined,
  ) => Promise<{ kind: 'changed'; slot: number } | { kind: 'version_mismatch' }>;
  /** The error after the last try. */
  busy: () => Error;
}

/** Applies a change. Returns what was there before, and the slot of the change; null if nothing was to be changed. @throws SignatureRequired */
export async function applyVersioned<Current, Staged = undefined>(
  change: VersionedChange<Current, Staged>,
): Promise<{ before: Current; slot: number | null }> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await change.read();
    if (change.isEmpty) return { before, slot: null };
    const version = change.versionOf(before);
    const signer = await change.signer(version);
    try {
      const staged = await change.stage?.(version, signer);
      if (!lacksSignature(signer)) await change.prepare?.(before);
      const outcome = await change.send(version, signer, staged);
      if (outcome.kind === 'changed') return { before, slot: outcome.slot };
    } catch (error) {
      throw SignatureRequired.with(error, { policyVersion: version });
    }
    await setTimeout(Math.random() * MAX_PAUSE_MS);
  }
  throw change.busy();
}
