import { csvLine, signedUsdc } from '../../lists/csv';
import { FILE_COLUMNS, type FileRecord } from './record-files';

const record: FileRecord = {
  id: 'txn_1',
  account_id: 'acct_1',
  type: 'transfer',
  status: 'settled',
  amount_usdc: '0.000025',
  direction: 'out',
  counterparty: 'acct_2',
  memo: null,
  category: null,
  tx_signature: 'Signature',
  chain_explorer_url: 'https://explorer/Signature',
  rejection_reason: null,
  transfer_id: 'tr_1',
  payment_id: null,
  session_id: null,
  purse_id: null,
  provider: null,
  reference: null,
  metadata: {},
  created_at: '2026-03-01T00:00:00.000Z',
  settled_at: '2026-03-01T00:00:05.000Z',
  account_name: 'Payer',
  counterparty_name: null,
  signed_amount_usdc: signedUsdc('out', '0.000025'),
  labels: 'prod team:a',
  fee_lamports: '10000',
};
const columns: readonly string[] = FILE_COLUMNS;
/** The field of a column, in a line of which only it has a comma. */
const fieldOf = (column: keyof FileRecord, changes: Partial<FileRecord>): string => {
  const fields = csvLine(FILE_COLUMNS, { ...record, ...changes })
    .slice(0, -2)
    .split(',');
  const at = columns.indexOf(column);
  return fields.slice(at, fields.length - (columns.length - 1 - at)).join(',');
};

test('the header names every member of a record, and the labels, once', () =>
  expect(columns.toSorted()).toEqual(Object.keys(record).sort()));

test('a line has the amounts and times of the JSON, and ends with CRLF', () =>
  expect(csvLine(FILE_COLUMNS, record)).toBe(
    'txn_1,acct_1,transfer,settled,0.000025,out,acct_2,,,,{},,Signature,https://explorer/Signature,,tr_1,,,,2026-03-01T00:00:00.000Z,2026-03-01T00:00:05.000Z,Payer,,-0.000025,prod team:a,10000\r\n',
  ));

test.each([
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['one\ntwo', '"one\ntwo"'],
  ['one\rtwo', '"one\rtwo"'],
  ['plain', 'plain'],
  [' spaced ', ' spaced '],
  ['ünï 🤖', 'ünï 🤖'],
  ['', ''],
])('the memo %j is the field %s', (memo, field) => expect(fieldOf('memo', { memo })).toBe(field));

test.each([
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-5', "'-5"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['=a,b', '"\'=a,b"'],
  ['a=1', 'a=1'],
  ["'=1", "'=1"],
  ['\t=1', "'\t'=1"],
  ['\r=1', '"\'\r\'=1"'],
  [' =1', "' =1"],
  ['a;=1', "a;'=1"],
  [';@x', "';'@x"],
])('the reference %j, which a spreadsheet may take for a formula, is the field %s', (reference, field) =>
  expect(fieldOf('reference', { reference })).toBe(field),
);

test('metadata is JSON in one field', () =>
  expect(fieldOf('metadata', { metadata: { team: 'a"b', n: [1, 2] } })).toBe('"{""team"":""a\\""b"",""n"":[1,2]}"'));
