import { ChainRefusedError, isAway } from '#chain';

/** The pause before something that the chain refused is tried again. */
const REFUSED_PAUSE_MS = 60_000;

/** An error of the chain that a job tries again after, and when. */
export interface ChainFault {
  message: string;
  pauseMs: number;
}

/** At once if the chain is unavailable, after a pause if it refused. @throws the error, if it is not one of the chain */
export function chainFault(error: unknown): ChainFault {
  if (isAway(error)) return { message: error.message, pauseMs: 0 };
  if (error instanceof ChainRefusedError) return { message: error.message, pauseMs: REFUSED_PAUSE_MS };
  throw error;
}
