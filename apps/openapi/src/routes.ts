/** The routes of the API, as Nest registers them. Nothing is started: in preview mode Nest creates no provider. */
import { generateKeyPairSync } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { VersioningType } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Chain } from '#chain';
import { AppModule } from '../../api/src/app.module';
import { KeySources } from '../../api/src/key-sources';
import { readConfig } from '../../api/src/runtime/config-loader';
import { accessOf, type Access } from '../../api/src/http/access';
import { answersOf, type AnswersOptions } from '../../api/src/http/answers';

export interface Route {
  method: string;
  /** With its parameters in braces: `/v1/accounts/{id}`. */
  path: string;
  controller: Type<object>;
  handler: string;
  pathParameters: string[];
  /** The status of success if `Answers` names none. */
  status: number;
  access: Access;
  answers: AnswersOptions;
  /** The classes of the handler's parameters. */
  parameterTypes: (new () => object)[];
}

/** Routes that are not part of the API: the page, its data, the metrics, documents, and MCP, which describes itself. */
const PRIVATE = /^\/((dashboard|metrics|docs|mcp|openapi\.json|client\.tgz|favicon\.ico|llms\.txt|llms-full\.txt)(\/|$)|$)/;

/** Settings that pass validation. Nothing reads them in preview mode. */
const SETTINGS = {
  DATABASE_URL: 'postgres://127.0.0.1:9/none',
  SOLANA_RPC_URL: 'http://127.0.0.1:9',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  OPERATOR_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 2).toString('base64'),
  FEE_PAYER_KEY: feePayer(),
};

/** All routes of the API, in the order of the features. */
export async function readRoutes(): Promise<Route[]> {
  const chain: Chain = Object.create(Chain.prototype);
  const app = await NestFactory.create(AppModule.for(readConfig(SETTINGS), { chain, keySources: new KeySources({}) }), {
    preview: true,
    logger: ['error'],
    abortOnError: false,
  });
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build(), {
    operationIdFactory: (controller, handler) => `${controller} ${handler}`,
  });
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = new Map(
    modules.flatMap(({ controllers }) => [...controllers.values()]).map(({ metatype }) => [metatype?.name, metatype]),
  );
  const paths = Object.entries(document.paths).filter(([path]) => !PRIVATE.test(path));
  return paths.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]): Route[] => {
      const { operationId = '', responses } = operation as { operationId?: string; responses: object };
      const [name = '', handler = ''] = operationId.split(' ');
      const controller = controllers.get(name);
      if (!isClass(controller)) return [];
      const prototype: Record<string, unknown> = controller.prototype;
      const callback = prototype[handler];
      if (typeof callback !== 'function') throw new Error(`${name}.${handler} is not a method.`);
      const context = { getHandler: () => callback, getClass: <T>() => controller as Type<T> };
      const types: unknown = Reflect.getMetadata('design:paramtypes', prototype, handler);
      return [
        {
          method,
          path,
          controller,
          handler,
          pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter),
          status: Number(Object.keys(responses)[0]),
          access: accessOf(context),
          answers: answersOf(callback),
          parameterTypes: Array.isArray(types) ? types.filter(isClass) : [],
        },
      ];
    }),
  );
}

/** A key pair in the form of Solana's key files. */
function feePayer(): string {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return JSON.stringify([...Buffer.from(d, 'base64url'), ...Buffer.from(x, 'base64url')]);
}

function isClass(value: unknown): value is Type<object> {
  return typeof value === 'function' && value.prototype !== undefined;
}
