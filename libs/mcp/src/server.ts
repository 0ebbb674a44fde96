/** The MCP server: the tools of one key, over any transport. */
import { randomUUID } from 'node:crypto';
import {
  fromJsonSchema,
  McpServer,
  type CallToolResult,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { DeclinedError, type AgentPayments } from '#client';
import { purseClose, purseOpen, sessionClose, sessionOpen } from './tools/allowance-tools';
import { withNumbers, withStrings } from './tools/amounts';
import type { ApiDocument } from './api-document';
import { assertArguments } from './schemas/arguments';
import type { DeclinedCall } from './results/declines';
import { INSTRUCTIONS } from './instructions';
import { balance, findService, paymentStatus, recipients, spendLeft, transfers } from './tools/reading-tools';
import { declined, failureOf, resultOf } from './results/results';
import { pay, quote, transfer } from './tools/spending-tools';
import type { Content, Tool } from './tools/tool';

/** Nothing that changes a policy, a key or an account is a tool. */
const TOOLS: ((api: ApiDocument) => Registered)[] = [
  (api) => registered(balance(api)),
  (api) => registered(spendLeft(api)),
  (api) => registered(findService(api)),
  (api) => registered(quote(api)),
  (api) => registered(pay(api)),
  (api) => registered(transfer(api)),
  (api) => registered(paymentStatus(api)),
  (api) => registered(transfers(api)),
  (api) => registered(sessionOpen(api)),
  (api) => registered(sessionClose(api)),
  (api) => registered(purseOpen(api)),
  (api) => registered(purseClose(api)),
  (api) => registered(recipients(api)),
];

const ajv = new AjvJsonSchemaValidator();

/** Compiles a schema when it first validates a value. All schemas together take 0.4 s and 15 MB, at each start of an API. */
const compilesAtFirstUse: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchemaType): JsonSchemaValidator<T> => {
    let validate: JsonSchemaValidator<T> | undefined;
    return (value) => (validate ??= ajv.getValidator<T>(schema))(value);
  },
};

export interface McpServerOptions {
  /** The service, with the key whose rights the tools have. */
  client: AgentPayments;
}

/** Takes any arguments: `call` checks them, so that a wrong one is a result with the sentences of the API, and no error of the protocol. */
const takesAll: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (value) => ({ valid: true, data: value as T, errorMessage: undefined }),
};

interface Registered extends Omit<Tool, 'input' | 'output' | 'run'> {
  takesKey: boolean;
  /** Whether it has an argument of this name. */
  takes: DeclinedCall['takes'];
  /** @throws ArgumentError */
  check(args: Content): void;
  inputSchema: ReturnType<typeof fromJsonSchema<Content>>;
  outputSchema: ReturnType<typeof fromJsonSchema<Content>>;
  run(call: { client: AgentPayments; args: Content; options: { signal?: AbortSignal } }): Promise<Content>;
}

/** The tools, made of docs/openapi.json once. */
export class McpTools {
  private readonly tools: Registered[];

  /** @throws Error if the document no longer has what a tool is made of. */
  constructor(private readonly api: ApiDocument) {
    this.tools = TOOLS.map((define) => define(api));
  }

  /** A server for one connection, or for one request of a transport without connections. */
  server({ client }: McpServerOptions): McpServer {
    const server = new McpServer(
      { name: 'agent-payment-service', title: 'Agent Payment Service', version: this.api.version },
      { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
    );
    for (const { name, title, description, annotations, inputSchema, outputSchema, ...tool } of this.tools) {
      const config = { title, description, annotations, inputSchema, outputSchema };
      server.registerTool(name, config, (args) => call(tool, client, args));
    }
    return server;
  }
}

function registered<Args>({ input, output, run, ...tool }: Tool<Args>): Registered {
  const schema = withNumbers(input);
  const takesKey = 'idempotency_key' in input.properties && tool.annotations.readOnlyHint === false;
  return {
    ...tool,
    takesKey,
    takes: (name) => name in input.properties,
    check: (args) => assertArguments(schema, args),
    inputSchema: fromJsonSchema<Content>(schema, takesAll),
    outputSchema: fromJsonSchema<Content>(output, compilesAtFirstUse),
    // `check` or the API refuses what is not of the schema of `Args`.
    run: ({ args, ...rest }) => run({ ...rest, args: args as Args }),
  };
}

/**
 * Runs a tool. The request is not aborted if the MCP client leaves: a payment that was sent goes on, and its key finds it.
 * @throws what is a defect of this server.
 */
async function call(
  { takesKey, takes, check, run }: Pick<Registered, 'takesKey' | 'takes' | 'check' | 'run'>,
  client: AgentPayments,
  given: Content,
): Promise<CallToolResult> {
  const key = takesKey ? String(given.idempotency_key ?? randomUUID()) : undefined;
  const keyMember = key === undefined ? {} : { idempotency_key: key };
  try {
    check(given);
    const { outcome, next_step, ...rest } = await run({ client, args: { ...withStrings(given), ...keyMember }, options: {} });
    const first = outcome === undefined ? {} : { outcome, ...(next_step !== undefined && { next_step }) };
    return resultOf({ ...first, ...keyMember, ...rest });
  } catch (error) {
    if (error instanceof DeclinedError && takesKey) return resultOf({ ...declined(error, { args: given, takes }), ...keyMember });
    return failureOf(error, key);
  }
}
