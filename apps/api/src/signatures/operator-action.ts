import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type HeldSignature, SignatureRequiredError } from '#chain';
import type { Caller } from '../http/caller';

/** The answer of an action: its status, headers and body. */
export interface Answer<T> {
  status: number;
  headers: Record<string, string>;
  body: T;
}

/** An authority key that an account is to get, with its sealed seed. */
export interface NewAuthority {
  key: string;
  sealed: string;
}

/** The values that a transaction was made with, so that it can be made again once it is signed. */
export interface MadeWith {
  /** The nonce of an order that waits for approval. */
  seq?: bigint;
  /** The version of the policy that is changed. */
  policyVersion?: bigint;
  authority?: NewAuthority;
}

/** The signatures of the holder of the operator's chain key. */
export interface Signed extends MadeWith {
  held: HeldSignature;
  /** Whether it may have been sent before: the process that did may have died. */
  isRepeated: boolean;
}

/** An action that needs the signature of the operator's chain key. Parameters are JSON, so that it can run again when it is signed. */
export abstract class OperatorAction<P extends object, T extends object> implements OnModuleInit {
  /** Its name in the database and in `GET /v1/signature_requests`. */
  abstract readonly name: string;

  constructor(private readonly actions: OperatorActions) {}

  onModuleInit(): void {
    this.actions.register(this);
  }

  /**
   * Does it. If the service holds the key, at once; else with what was signed.
   * @throws SignatureRequired if the key is held outside and `signed` is not what is to be sent. Nothing was sent then.
   */
  abstract run(caller: Caller, parameters: P, signed: Signed | null): Promise<Answer<T>>;

  /** Its effects, one sentence each, and the account that it is about; null for all accounts. */
  abstract describe(caller: Caller, parameters: P): Promise<{ accountId: string | null; summary: string[] }>;
}

/** The actions of all features, by name. */
@Injectable()
export class OperatorActions {
  private readonly actions = new Map<string, OperatorAction<object, object>>();

  register<P extends object, T extends object>(action: OperatorAction<P, T>): void {
    this.actions.set(action.name, action as OperatorAction<object, object>);
  }

  /** @throws Error for an action that is not registered. */
  named(name: string): OperatorAction<object, object> {
    const action = this.actions.get(name);
    if (!action) throw new Error(`no action is registered as ${name}`);
    return action;
  }
}

/** An action cannot be done without a signature of the operator's chain key, which is held outside. Nothing was sent. */
export class SignatureRequired extends Error {
  constructor(
    readonly required: SignatureRequiredError,
    readonly madeWith: MadeWith = {},
  ) {
    super(required.message);
    this.name = 'SignatureRequired';
  }

  /** An error with what the transaction that it asks for was made with; every other error as it is. */
  static with(error: unknown, madeWith: MadeWith): unknown {
    return error instanceof SignatureRequiredError ? new SignatureRequired(error, madeWith) : error;
  }
}
