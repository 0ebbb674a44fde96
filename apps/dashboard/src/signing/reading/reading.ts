/** The effects of a transaction, as its bytes say. */
import {
  PROGRAM_ID,
  UnreadableTransactionError,
  UnsafeTransactionError,
  verifySignatureRequest,
} from '../../../../../libs/client/src/signing/index';

export interface Reading {
  sentences: string[];
  /** Why it must not be signed; undefined if it can be. */
  problem: string | undefined;
  /** The address of agent_policy if it is not the one that this page was built with. */
  otherProgram: string | undefined;
}

/** Reads a transaction, in base64, that a key is asked to sign. `programId`: where the service says that agent_policy is. */
export function readingOf(transaction: string, chainKey: string, programId: string | null): Reading {
  const program = programId ?? PROGRAM_ID;
  const otherProgram = program === PROGRAM_ID ? undefined : program;
  try {
    const { sentences } = verifySignatureRequest({ transaction }, { chainKey, programId: program });
    return { sentences, problem: undefined, otherProgram };
  } catch (error) {
    if (error instanceof UnsafeTransactionError) return { sentences: error.reading.sentences, problem: error.message, otherProgram };
    if (error instanceof UnreadableTransactionError) return { sentences: [], problem: error.message, otherProgram };
    throw error;
  }
}
