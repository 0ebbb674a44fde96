import { allowsHost, normalizedHosts } from './allowed-hosts';

test.each([
  [null, 'https://anything.example', true],
  [[], 'https://anything.example', false],
  [['api.example.com'], 'https://api.example.com', true],
  [['api.example.com'], 'https://api.example.com:8443', true],
  [['api.example.com'], 'https://api.example.com.evil.net', false],
  [['api.example.com'], 'https://xapi.example.com', false],
  [['api.example.com:8443'], 'https://api.example.com:8443', true],
  [['api.example.com:8443'], 'https://api.example.com', false],
  [['api.example.com:443'], 'https://api.example.com', true],
  [['api.example.com:80'], 'http://api.example.com', true],
  [['api.example.com:80'], 'https://api.example.com', false],
  [['*.example.com'], 'https://a.example.com', true],
  [['*.example.com'], 'https://a.b.example.com:9000', true],
  [['*.example.com'], 'https://example.com', false],
  [['*.example.com'], 'https://badexample.com', false],
  [['*.example.com:443'], 'https://a.example.com', true],
  [['[::1]:3000'], 'http://[::1]:3000', true],
  [['[::1]'], 'http://[::1]:3000', true],
])('a list of %j and the URL %s: allowed is %s', (hosts, url, isAllowed) => {
  expect(allowsHost(hosts && normalizedHosts(hosts), url)).toBe(isAllowed);
});

test('hosts are stored in lower case and in the form of URLs', () => {
  expect(normalizedHosts(['API.Example.com:443', '*.BÜCHER.example'])).toEqual(['api.example.com:443', '*.xn--bcher-kva.example']);
});
