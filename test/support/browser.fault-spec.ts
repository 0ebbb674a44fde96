import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser, startBrowser } from './browser';

jest.setTimeout(300_000);

describe('findBrowser', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'aps-browser-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => jest.restoreAllMocks());

  const cache = (): string => join(folder, 'cache');
  const variables = (more: Record<string, string> = {}) => ({ PATH: process.env.PATH, HOME: join(folder, 'home'), ...more });

  /** An executable that starts a browser with other variables, or none. */
  function script(name: string, line: string): string {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${line}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  // The package has a browser for this platform only.
  const onPackagedPlatform = process.platform === 'linux' && process.arch === 'x64' ? test : test.skip;

  onPackagedPlatform('the packaged Chromium fills an input with a fresh home and a fresh cache, without /tmp/fonts', async () => {
    const found = findBrowser({ variables: variables({ CI: 'true' }), cache: cache(), installed: [] });
    if (!found) throw new Error('No browser was found.');
    expect(found.executable.startsWith(cache())).toBe(true);
    const browser = await startBrowser(found);
    const page = await browser.newPage();
    await page.setContent('<input>');
    await page.fill('input', 'typed');
    expect(await page.inputValue('input')).toBe('typed');
    await browser.close();
  });

  onPackagedPlatform('a BROWSER_PATH that crashes at an input is passed over for the packaged Chromium', () => {
    const packaged = findBrowser({ variables: variables(), cache: cache(), installed: [] })?.executable ?? '';
    writeFileSync(join(folder, 'fonts.conf'), '<fontconfig><dir>/nonexistent</dir></fontconfig>');
    const libraries = join(packaged, '..', 'al2023', 'lib');
    const crashing = script('crashing', `FONTCONFIG_PATH='${folder}' LD_LIBRARY_PATH='${libraries}' exec '${packaged}' "$@"`);
    expect(findBrowser({ variables: variables({ BROWSER_PATH: crashing }), cache: cache(), installed: [] })?.executable).toBe(packaged);
    const working = script(
      'working',
      `FONTCONFIG_PATH='${join(packaged, '..', 'fonts')}' LD_LIBRARY_PATH='${libraries}' exec '${packaged}' "$@"`,
    );
    expect(findBrowser({ variables: variables({ BROWSER_PATH: working }), cache: cache(), installed: [] })?.executable).toBe(working);
  });

  describe('findBrowser on a machine without a browser', () => {
    /** A folder in which nothing can be unpacked. */
    const noCache = '/dev/null/cache';

    test('findBrowser throws under CI when no candidate works, and names every candidate', () => {
      const [given, installed] = [script('given', 'exit 1'), script('installed', 'exit 1')];
      const search = () =>
        findBrowser({ variables: variables({ CI: 'true', BROWSER_PATH: given }), cache: noCache, installed: [installed] });
      expect(search).toThrow(new RegExp(`NOT TESTED[^]*${given}[^]*chromium[^]*${installed}`));
    });

    test('findBrowser warns when no candidate works outside of CI', () => {
      const warn = jest.spyOn(console, 'warn').mockImplementation();
      expect(findBrowser({ variables: variables(), cache: noCache, installed: [] })).toBeUndefined();
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('NOT TESTED'));
    });
  });
});
