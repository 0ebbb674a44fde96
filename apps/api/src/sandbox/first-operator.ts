import type { INestApplicationContext } from '@nestjs/common';
import { AuthenticationService, OperatorsService } from '../keys';

/** An operator key that works: the remembered one, or a new one when that was lost or revoked. `isNew` says to show it. */
export async function firstOperatorKey(
  app: INestApplicationContext,
  remembered: string | undefined,
): Promise<{ key: string; isNew: boolean }> {
  const operators = app.get(OperatorsService);
  if (remembered !== undefined && (await works(app, remembered))) return { key: remembered, isNew: false };
  const first = await operators.first();
  const { key } = first ? await operators.createKey(first.id) : (await operators.create('sandbox')).key;
  return { key, isNew: true };
}

async function works(app: INestApplicationContext, key: string): Promise<boolean> {
  return (await app.get(AuthenticationService).identify(`Bearer ${key}`)) !== undefined;
}
