import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../server/test/support/app.ts';
import { findOrInstall } from '../test-support/install-packages.ts';

const folder = fileURLToPath(new URL('../../deploy/observability', import.meta.url));
const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');
const rules = read('rules.yml');

describe('deploy/observability', () => {
  it.each([
    ['check', 'rules', 'rules.yml'],
    ['test', 'rules', 'rules.test.yml'],
    ['check', 'config', 'prometheus.yml'],
  ])('promtool %s %s %s', (...args) => {
    const promtool = findOrInstall(['promtool'], ['prometheus']);
    expect(execFileSync(promtool, args, { cwd: folder, encoding: 'utf8' })).toContain('SUCCESS');
  });

  it('tests that each alert fires, and that each says what to do', () => {
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    expect(alerts).toHaveLength(11);
    const tests = read('rules.test.yml');
    for (const alert of alerts) {
      expect(tests).toMatch(new RegExp(`alertname: ${alert}\n +exp_alerts:\n +- exp_labels:`));
    }
    expect(rules.match(/^ +action: \S/gm)).toHaveLength(alerts.length);
  });

  it('names only metrics that the service has', async () => {
    const apps = [await testApp({ engine: 'sqlite' }), await testApp({ engine: 'postgres' })];
    const pages = await Promise.all(
      apps.map(async (app) => {
        await app.call('GET', '/readyz', { key: null });
        return (await app.call('GET', '/metrics', { key: null })).text;
      }),
    );
    const text = `${rules}\n${read('grafana-dashboard.json')}`;
    const names = new Set(text.match(/\b(petstore|http_server|process|nodejs)_[a-z0-9_]+\b/g));
    expect(names.size).toBeGreaterThan(15);
    const isShown = (name: string) =>
      pages.some((page) => new RegExp(`^${name}[ {]`, 'm').test(page));
    expect([...names].filter((name) => !isShown(name))).toEqual([]);
  });
});
