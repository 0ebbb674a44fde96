import { createPublicKey, randomBytes, verify } from 'node:crypto';
import bs58 from 'bs58';
import { startApp, type TestApp } from '../../../../../test/support/app';
import { StartError } from '../../runtime/config-loader';
import { Config } from '../../runtime/config';
import { EncryptionService } from '../../secrets';
import { RowMacs } from '../../secrets';
import { OperatorsService } from './operators.service';
import { ResealingService } from '../resealing.service';

let service: TestApp;
let operators: OperatorsService;
beforeAll(async () => {
  service = await startApp();
  operators = service.app.get(OperatorsService);
});
afterAll(() => service.close());

test("OperatorsService.signer signs for the operator's chain key and is undefined for another", async () => {
  const { operator } = await operators.create('Acme');
  const signature = await (await operators.signer(operator.id, operator.chainKey))?.sign(Buffer.from('message'));
  const publicKey = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bs58.decode(operator.chainKey)]),
    format: 'der',
    type: 'spki',
  });
  expect(verify(null, Buffer.from('message'), publicKey, signature ?? Buffer.alloc(0))).toBe(true);
  expect(await operators.signer(operator.id, (await operators.create('other')).operator.chainKey)).toBeUndefined();
});

test("a sealed chain key copied from another operator's row cannot be decrypted", async () => {
  const [one, two] = [await operators.create('one'), await operators.create('two')];
  await service.database.query(
    'UPDATE operators SET chain_key_sealed = (SELECT chain_key_sealed FROM operators WHERE id = $1) WHERE id = $2',
    [one.operator.id, two.operator.id],
  );
  await expect(operators.signer(two.operator.id, two.operator.chainKey)).rejects.toThrow('belongs to another row');
});

test('OperatorsService.createKey creates another key, and throws not_found for an unknown operator', async () => {
  const { operator } = await operators.create('Acme');
  const { key } = await operators.createKey(operator.id);
  await service.send('get', '/v1/api_keys', key).expect(200);
  await expect(operators.createKey('op_01k9x000000000000000000000')).rejects.toMatchObject({ code: 'not_found' });
  await expect(operators.createKey('op_\0')).rejects.toMatchObject({ code: 'not_found' });
});

test('OperatorsService.first returns the oldest operator', async () => {
  expect((await operators.first())?.id).toBe(service.operatorId);
});

test('OperatorsService.find does not read the sealed chain key', async () => {
  expect(JSON.stringify(await operators.find(service.operatorId))).not.toContain('v1.');
});

describe('requireKeys', () => {
  /** The check of a start with other settings. */
  const start = (changes: Partial<Config>): Promise<void> => {
    const config = Object.assign(new Config(), service.app.get(Config), changes);
    const encryption = new EncryptionService(config);
    return new ResealingService(service.database, encryption, new RowMacs(encryption)).requireKeys();
  };

  test('a start with the keys of the database passes, also with them as the previous ones', async () => {
    const { KEY_ENCRYPTION_KEY, OPERATOR_KEY_ENCRYPTION_KEY } = service.app.get(Config);
    await expect(start({})).resolves.toBeUndefined();
    const previous = {
      PREVIOUS_KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY,
      PREVIOUS_OPERATOR_KEY_ENCRYPTION_KEY: OPERATOR_KEY_ENCRYPTION_KEY,
    };
    await expect(
      start({ ...previous, KEY_ENCRYPTION_KEY: randomBytes(32), OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32) }),
    ).resolves.toBeUndefined();
  });

  test('a start with another KEY_ENCRYPTION_KEY ends with a sentence that names it', async () => {
    await service.send('post', '/v1/webhooks', service.operatorKey).send({ url: 'https://hooks.example/a' }).expect(201);
    const starting = start({ KEY_ENCRYPTION_KEY: randomBytes(32) });
    await expect(starting).rejects.toThrow(StartError);
    await expect(starting).rejects.toThrow(
      /^KEY_ENCRYPTION_KEY does not fit this database\. The secret of wh_\w+ was sealed under key \w{8}/,
    );
  });

  test('a start with another OPERATOR_KEY_ENCRYPTION_KEY ends with a sentence that names it', async () => {
    await operators.create('newest');
    await expect(start({ OPERATOR_KEY_ENCRYPTION_KEY: randomBytes(32) })).rejects.toThrow(/^OPERATOR_KEY_ENCRYPTION_KEY does not fit/);
  });
});
