import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Test } from '@nestjs/testing';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DynamicModule, ForwardReference, Type } from '@nestjs/common';
import supertest from 'supertest';
import { DataSource } from 'typeorm';
import { newId } from '#database';
import { AppModule } from '../../apps/api/src/app.module';
import { Clock } from '../../apps/api/src/runtime/clock';
import { readConfig } from '../../apps/api/src/runtime/config-loader';
import { type Config } from '../../apps/api/src/runtime/config';
import { configureApp } from '../../apps/api/src/http/configure-app';
import { OperatorsService } from '../../apps/api/src/keys/operators/operators.service';
import { createMigratedDatabase } from './database';
import { insertAccount } from './accounts';

/** A clock that a test moves. */
export class TestClock extends Clock {
  private offsetMs = 0;

  override now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  advance({ seconds }: { seconds: number }): void {
    this.offsetMs += seconds * 1000;
  }
}

export interface TestApp {
  app: NestExpressApplication;
  config: Config;
  clock: TestClock;
  database: DataSource;
  operatorId: string;
  operatorKey: string;
  /** A request as the first operator, with another key, or without one. */
  send(method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, key?: string | null): supertest.Test;
  /** A row in accounts without an account on chain, for tests of rows that refer to it. */
  insertAccount(operatorId?: string): Promise<string>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  imports?: (Type | DynamicModule | ForwardReference)[];
  controllers?: Type[];
  variables?: Record<string, string>;
}

/** The application with its own database, in the test's process: for integration tests over HTTP. */
export async function startApp({ imports = [], controllers = [], variables = {} }: TestAppOptions = {}): Promise<TestApp> {
  const testDatabase = await createMigratedDatabase();
  const config = readConfig({ ...testVariables(), ...variables, DATABASE_URL: testDatabase.url });
  const clock = new TestClock();
  const module = await Test.createTestingModule({ imports: [AppModule.for(config), ...imports], controllers })
    .overrideProvider(Clock)
    .useValue(clock)
    .compile();
  const app = configureApp(module.createNestApplication<NestExpressApplication>({ bodyParser: false, logger: ['fatal'] }));
  await app.listen(0, '127.0.0.1');
  const { operator, key } = await app.get(OperatorsService).create('test operator');
  const database = app.get(DataSource);
  return {
    app,
    config,
    clock,
    database,
    operatorId: operator.id,
    operatorKey: key.key,
    send: (method, path, given = key.key) => {
      const request = supertest(app.getHttpServer())[method](path);
      return given === null ? request : request.set('Authorization', `Bearer ${given}`);
    },
    insertAccount: async (operatorId = operator.id) => {
      const id = newId('acct');
      await insertAccount(database, { id, operatorId });
      return id;
    },
    close: async () => {
      await app.close();
      await testDatabase.drop();
    },
  };
}

/** Settings of a service outside the sandbox, whose chain is not reachable. */
export function testVariables(): Record<string, string> {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return {
    SOLANA_RPC_URL: 'http://127.0.0.1:9',
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    FEE_PAYER_KEY: JSON.stringify([...Buffer.from(d, 'base64url'), ...Buffer.from(x, 'base64url')]),
  };
}
