/** Types of the program's accounts and events, from the types that its build generates. Names are the IDL's, in snake_case. */
import type { IdlAccounts, IdlEvents, IdlTypes } from '@coral-xyz/anchor';
import type { AgentPolicy } from '../../program/agent_policy';

/** `openSessions` → `open_sessions`: the generated types have camelCase names, and the coder has the IDL's. */
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type SnakeCased<Struct> = { [Field in keyof Struct as SnakeCase<Field>]: Struct[Field] };

type PascalCased<Structs> = { [Name in keyof Structs as Capitalize<Name & string>]: SnakeCased<Structs[Name]> };

/** The fields of accounts, by the accounts' names, such as `AgentAccount`. */
export type AccountFields = PascalCased<IdlAccounts<AgentPolicy>>;

/** The fields of events, by the events' names, such as `Transferred`. */
export type EventFields = PascalCased<IdlEvents<AgentPolicy>>;

/** The fields of other structures, such as the arguments of instructions: `TransferArgs`. */
export type StructFields = PascalCased<IdlTypes<AgentPolicy>>;
