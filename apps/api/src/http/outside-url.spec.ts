import { isOutsideAddress, outsideUrlDefect } from './outside-url';

const guarded = { allowPrivate: false };

test.each([
  'https://example.com',
  'https://example.com/hooks?a=1&b=%20#f',
  'https://hooks.example.co.uk:8443/x',
  'https://example.com:1024',
  'https://example.com:65535/',
  'https://münchen.example/ß',
  'https://xn--mnchen-3ya.example/',
  'https://8.8.8.8/x',
  'https://[2606:4700::1111]/x',
  'https://localhost.example.com/',
  `https://example.com/${'a'.repeat(2028)}`,
])('%s may be called', (url) => expect(outsideUrlDefect(url, guarded)).toBeUndefined());

const HOSTILE = [
  ...['', 'x', '/hook', 'example.com', '//example.com', 'https:', 'https://', 'https:///', 'https://:443', 'https://exa mple.com', 'https://%00.example', 'https://[::1', 'https://1.2.3.4.5', 'https://example.com:65536'],
  ...['http://example.com', 'ftp://example.com', 'file:///etc/passwd', 'gopher://example.com', 'javascript:alert(1)', 'data:text/plain,x', 'ws://example.com', 'redis://example.com:6379'],
  ...['https://user@example.com', 'https://user:word@example.com', 'https://:word@example.com', 'https://example.com@127.0.0.1', 'https://127.0.0.1@8.8.8.8'],
  ...[' https://example.com', 'https://example.com ', 'https://exam\tple.com', 'https://example.com/\n', 'https:\\\\example.com', 'https://example.com\\@127.0.0.1', `https://example.com/${'a'.repeat(2029)}`],
  ...['https://example.com:22', 'https://example.com:25', 'https://example.com:80', 'https://example.com:1', 'https://example.com:0', 'https://example.com:1023', 'https://example.com:6667', 'https://example.com:10080', 'https://example.com:5060'],
  ...['https://localhost', 'https://LOCALHOST:8443', 'https://localhost.', 'https://a.localhost', 'https://printer.local', 'https://metadata.google.internal', 'https://db', 'https://redis:6379', 'https://router.home.arpa', 'https://ⓛocalhost'],
  ...['127.0.0.1', '127.1', '127.0.0.1.', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.255.255.254', '１２７.0.0.1', '127。0。0。1'].map((host) => `https://${host}/`),
  ...['0.0.0.0', '0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '100.64.0.1', '100.127.255.255'].map((host) => `https://${host}/`),
  ...['192.0.0.8', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '192.175.48.1', '192.31.196.1', '192.52.193.1'].map((host) => `https://${host}/`),
  ...['::1', '::', '0:0:0:0:0:0:0:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '2002:7f00:1::', '2002:808:808::1'].map((host) => `https://[${host}]/`),
  ...['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1', '2001:2::1', '2001:10::1', '2001:20::1', '3fff::1', '4000::1', '5f00::1', '2620:4f:8000::1'].map((host) => `https://[${host}]/`),
];

test('the list of hostile URLs has grown to more than 60', () => expect(new Set(HOSTILE).size).toBeGreaterThan(100));
test.each(HOSTILE)('%j is refused', (url) => expect(outsideUrlDefect(url, guarded)).toMatch(/^must /));

test.each(['http://127.0.0.1:9/x', 'http://localhost:80', 'https://[::1]:22/', 'http://db:5432'])('in the sandbox %s may be called', (url) => expect(outsideUrlDefect(url, { allowPrivate: true })).toBeUndefined());
test.each(['ftp://127.0.0.1', 'http://user@127.0.0.1', 'nonsense', `http://127.0.0.1/${'a'.repeat(2048)}`])('in the sandbox %s is refused all the same', (url) =>
  expect(outsideUrlDefect(url, { allowPrivate: true })).toMatch(/^must /),
);

test.each(['', 'example.com', '1.2.3', '::1%lo', '0x7f.1'])('%j is no address outside', (text) => expect(isOutsideAddress(text)).toBe(false));
