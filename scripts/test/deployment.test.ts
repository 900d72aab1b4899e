// Dockerfile, compose.yaml and deploy/ must agree with the service and with each other. No container engine is needed:
// the command of the image is started from the repository.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig, settings } from '../../server/src/config.ts';
import { CONNECTIONS_DEFAULT } from '../../server/src/datastore/postgres/postgres-datastore.ts';
import { errorTable } from '../../server/src/domain/errors.ts';
import { generateApiKey } from '../../server/src/lib/api-key.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

// biome-ignore lint/suspicious/noExplicitAny: a manifest has whatever shape its file gives it.
type Manifest = any;
type Environment = Record<string, string>;

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readYaml = (file: string): Manifest => parse(read(file), { merge: true });

/** The service ends within this time after SIGTERM. */
const STOP_SECONDS = 10;
/** `max_connections` of PostgreSQL, without those that it reserves for superusers. */
const POSTGRES_CONNECTIONS = 100 - 3;
const PLACEHOLDER = 'replace-me';

const image = readImage();
const compose = readYaml('compose.yaml');
const nodes: Manifest[] = Object.values<Manifest>(compose.services).filter(({ build }) => build);
const balancer = read('deploy/compose/haproxy.cfg');
const folder = 'deploy/kubernetes';
const kustomization = readYaml(`${folder}/kustomization.yaml`);
const manifests = new Map<string, Manifest>(
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .map((file) => [file, readYaml(`${folder}/${file}`)]),
);
const kind = (name: string): Manifest =>
  [...manifests.values()].find((manifest) => manifest.kind === name);
const deployment = kind('Deployment').spec;
const pod = deployment.template.spec;
const container = pod.containers[0];
const podLabels = deployment.template.metadata.labels;

it('docs/security.md counts the dependencies', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const [root, server, console] = ['', 'server', 'console'].map((name) => {
    const direct = Object.keys(packages[name].dependencies);
    return direct.filter((each) => each !== '@petstore/client').length;
  });
  expect(read('docs/security.md')).toContain(
    `${root! + server!} direct ones at run time (${server} of \`server/package.json\`, and \`node\`) and ${console} that the console is built from`,
  );
});

describe('settings', () => {
  const placeholders = parseEnvironmentFile('deploy/compose/example.env');
  const secrets: Environment = kind('Secret').stringData;

  it('starts with the environment of the image, of compose and of Kubernetes', () => {
    const key = { PETSTORE_BOOTSTRAP_KEY: generateApiKey().key };
    for (const node of nodes) {
      const given = interpolate(node.environment, { ...placeholders, ...key });
      expect(readConfig({ ...image.environment, ...given }).PETSTORE_VALKEY_URL).toBeDefined();
    }
    const given = { ...kind('ConfigMap').data, ...secrets, ...key };
    expect(readConfig({ ...image.environment, ...given }).PETSTORE_DATABASE_URL).toBeDefined();
    expect(readConfig(image.environment).PETSTORE_HOST).toBe('0.0.0.0');
  });

  it('holds placeholders where secrets belong, and refuses to start on them', () => {
    for (const [name, value] of Object.entries({ ...placeholders, ...secrets })) {
      expect(value, name).toContain(PLACEHOLDER);
    }
    expect(() => readConfig({ PETSTORE_BOOTSTRAP_KEY: PLACEHOLDER })).toThrow('well-formed');
    expect(kustomization.resources).not.toContain('secret.example.yaml');
    const isSecret = (name: string) => 'isSecret' in settings[name as keyof typeof settings];
    expect(Object.keys(kind('ConfigMap').data).filter(isSecret)).toEqual([]);
  });

  it('keeps Kubernetes from setting PETSTORE_PORT after the name of the Service', () => {
    expect(pod.enableServiceLinks).toBe(false);
  });

  it('believes the balancer alone, whose address no node can be given', () => {
    const { front } = compose.services.balancer.networks;
    for (const node of nodes)
      expect(node.environment.PETSTORE_TRUST_PROXY).toBe(front.ipv4_address);
    const [{ subnet, ip_range: range }] = compose.networks.front.ipam.config;
    expect([subnet, range]).toEqual(['172.30.80.0/24', '172.30.80.128/25']);
    expect(Number(front.ipv4_address.replace('172.30.80.', ''))).toBeLessThan(128);
  });
});

describe('the image', () => {
  const data = temporaryFolder();
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    data.remove();
  });

  it('serves with its own command and environment, answers every probe and ends on its signal', async () => {
    const [program, ...args] = [...image.words('ENTRYPOINT'), ...image.words('CMD')].map(
      inRepository,
    );
    const changed = { PETSTORE_DATA_DIR: data.path, PETSTORE_PORT: '0' };
    const child = spawn(program!, args, { cwd: root, env: { ...image.environment, ...changed } });
    started.push(child);
    const port = await portOf(child);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    const paths = probes.map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
    for (const path of [...paths, balancer.match(/http-check send .* uri (\S+)/)![1]]) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect([path, answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([
        path,
        200,
        null,
      ]);
    }
    expect(healthcheck(port)).toBe(0);
    child.kill(image.value('STOPSIGNAL') as NodeJS.Signals);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(healthcheck(port)).toBe(1);
  });

  it('copies only what is there and what .dockerignore lets through', () => {
    const allowed = read('.dockerignore').split('\n');
    expect(allowed).toContain('*');
    const sources = image.copied();
    expect(sources).toContain('package-lock.json');
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(allowed, source).toContain(`!${source}`);
    }
  });

  it('installs no tool of development', () => {
    expect(image.text).toMatch(/npm install [^\n]*--omit=dev/);
    expect(image.value('FROM')).toMatch(/distroless/);
  });

  it('has the version of the package, wherever it is named', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    for (const node of nodes) expect(node.image).toBe(`petstore:${version}`);
    expect(kustomization.images).toEqual([{ name: container.image, newTag: version }]);
  });
});

describe('privileges', () => {
  it('runs as one fixed user that is not root', () => {
    const { runAsNonRoot, runAsUser, runAsGroup } = pod.securityContext;
    expect(image.value('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(image.value('USER')).toBe(`${runAsUser}:${runAsGroup}`);
    expect(runAsNonRoot).toBe(true);
    expect(image.text).toContain(`--chown=${image.value('USER')} /data /data`);
  });

  it('gives every container a read-only file system, no capability and a limit of memory', () => {
    for (const [name, service] of Object.entries<Manifest>(compose.services)) {
      expect(service.read_only, name).toBe(true);
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.security_opt, name).toContain('no-new-privileges:true');
      expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
      expect(service.user ?? image.value('USER'), name).not.toMatch(/^(root|0)/);
      expect(service.privileged, name).toBeUndefined();
    }
    const { securityContext, resources } = container;
    expect(securityContext.readOnlyRootFilesystem).toBe(true);
    expect(securityContext.allowPrivilegeEscalation).toBe(false);
    expect(securityContext.capabilities.drop).toEqual(['ALL']);
    expect(resources.limits.memory).toBeDefined();
  });

  it('publishes the balancer and nothing else, and that on loopback', () => {
    for (const [name, { ports }] of Object.entries<Manifest>(compose.services)) {
      if (name === 'balancer') expect(ports).toEqual(['127.0.0.1:8080:8080']);
      else expect(ports, name).toBeUndefined();
    }
    expect(compose.networks.back.internal).toBe(true);
  });
});

describe('ports and names', () => {
  it('listens where everyone else looks for it', () => {
    const port = Number(image.environment.PETSTORE_PORT);
    expect(image.value('EXPOSE')).toBe(String(port));
    const [{ name, containerPort }] = container.ports;
    expect(containerPort).toBe(port);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.port)).toEqual([name, name, name]);
    expect(kind('Service').spec.ports[0].targetPort).toBe(name);
    expect(kind('NetworkPolicy').spec.ingress[0].ports).toEqual([{ port: name }]);
    for (const backend of ['ready', 'unready']) {
      expect(serversOf(backend)).toEqual(nodeNames().map((node) => `${node}:${port}`));
    }
  });

  it('selects the pods of the Deployment, by the labels that they have', () => {
    const spreads = pod.topologySpreadConstraints;
    const selectors = [
      deployment.selector.matchLabels,
      kind('Service').spec.selector,
      kind('PodDisruptionBudget').spec.selector.matchLabels,
      kind('NetworkPolicy').spec.podSelector.matchLabels,
      ...spreads.map(({ labelSelector }: Manifest) => labelSelector.matchLabels),
    ];
    expect(selectors).toHaveLength(6);
    for (const selector of selectors) expect(selector).toEqual(podLabels);
    const { apiVersion, metadata } = kind('Deployment');
    expect(kind('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({
      apiVersion,
      kind: 'Deployment',
      name: metadata.name,
    });
    expect(container.envFrom).toEqual([
      { configMapRef: { name: kind('ConfigMap').metadata.name } },
      { secretRef: { name: kind('Secret').metadata.name } },
    ]);
    expect(kustomization.namespace).toBe(kind('Namespace').metadata.name);
    expect(kind('Secret').metadata.namespace).toBe(kustomization.namespace);
  });

  it('applies every manifest but the example of a Secret and the Ingress, whose host is to be changed', () => {
    const byHand = ['secret.example.yaml', 'ingress.yaml'];
    const applied = [...manifests.keys()].filter((file) => !byHand.includes(file));
    expect([...kustomization.resources].sort()).toEqual(applied.sort());
  });
});

describe('stopping and failing', () => {
  it('leaves a node the time that it takes to stop', () => {
    const waited = container.lifecycle.preStop.sleep.seconds;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(waited + STOP_SECONDS);
    for (const node of nodes) {
      expect(Number.parseInt(node.stop_grace_period, 10)).toBeGreaterThan(STOP_SECONDS);
    }
  });

  it('runs under systemd by the command of the image, with the time to stop', () => {
    const unit = read('deploy/systemd/petstore.service');
    const option = (name: string) => unit.match(new RegExp(`^${name}=(.*)$`, 'm'))![1]!;
    const command = [...image.words('ENTRYPOINT'), ...image.words('CMD')].join(' ');
    expect(option('ExecStart').replaceAll('/opt/petstore/', '/app/')).toBe(command);
    expect(Number(option('TimeoutStopSec'))).toBeGreaterThan(STOP_SECONDS);
    const given = [...unit.matchAll(/^Environment=(PETSTORE_\w+)=(.*)$/gm)];
    const environment = Object.fromEntries(given.map(([, name, value]) => [name, value]));
    expect(readConfig(environment).PETSTORE_DATA_DIR).toBe(`/var/lib/${option('StateDirectory')}`);
    expect(option('User')).not.toBe('root');
  });

  it('starts under systemd again and again, for as long as its database is away', () => {
    const [, unit = ''] = read('deploy/systemd/petstore.service').split(/^\[(?:Unit|Service)\]$/m);
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
  });

  it('always leaves a node that serves', () => {
    const { minReplicas, maxReplicas } = kind('HorizontalPodAutoscaler').spec;
    expect(kind('PodDisruptionBudget').spec.maxUnavailable).toBeLessThan(minReplicas);
    expect(minReplicas).toBeLessThan(maxReplicas);
    expect(deployment.replicas).toBeUndefined();
    expect(deployment.strategy.rollingUpdate.maxUnavailable).toBe(0);
  });

  it('opens no more connections than a PostgreSQL with its defaults accepts', () => {
    const { maxReplicas } = kind('HorizontalPodAutoscaler').spec;
    const nodesMax = maxReplicas + deployment.strategy.rollingUpdate.maxSurge;
    const connections = nodesMax * CONNECTIONS_DEFAULT;
    expect(connections).toBeLessThanOrEqual(POSTGRES_CONNECTIONS);
    expect(nodes.length * CONNECTIONS_DEFAULT).toBeLessThanOrEqual(POSTGRES_CONNECTIONS);
    const autoscaler = read(`${folder}/horizontal-pod-autoscaler.yaml`);
    expect(autoscaler).toContain(`opens up to ${CONNECTIONS_DEFAULT} connections`);
    expect(autoscaler).toContain(` ${connections} of PostgreSQL's default 100`);
    const page = read('docs/deploying.md');
    expect(page).toContain(`| ${CONNECTIONS_DEFAULT} per node at most:`);
    expect(page).toContain(`above ${CONNECTIONS_DEFAULT} × nodes`);
  });

  it('repeats no request that a node may have read', () => {
    expect(balancer.match(/^ *retry-on .*$/gm)).toEqual(['  retry-on conn-failure']);
  });

  it('starts fewer threads in the balancer than its container may have', () => {
    const threads = Number(balancer.match(/^ *nbthread (\d+)$/m)?.[1]);
    expect(threads).toBeLessThan(compose.services.balancer.pids_limit / 2);
  });

  it('replaces what a client claims about its address and its scheme', () => {
    const frontend = balancer.split('\nfrontend public\n')[1]!.split('\n\n')[0]!;
    expect(frontend).toContain('http-request set-header X-Forwarded-For %[src]\n');
    expect(frontend).toContain('set-header X-Forwarded-Proto https if { ssl_fc }\n');
    expect(frontend).toContain('set-header X-Forwarded-Proto http unless { ssl_fc }\n');
  });

  it('lets the balancer answer in the shape of the service', () => {
    const [head = '', body = ''] = read('deploy/compose/unavailable.http').split('\n\n');
    expect(head).toMatch(/^Retry-After: \d+$/m);
    expect(JSON.parse(body)).toMatchObject({
      code: 'unavailable',
      status: errorTable.unavailable.status,
    });
    expect(head).toContain(`HTTP/1.1 ${errorTable.unavailable.status} `);
    const returned = JSON.parse(balancer.match(/return status 404 .* string '(.*)' if/)![1]!);
    const { status, message } = errorTable.not_found;
    expect(returned).toEqual({ code: 'not_found', message, status });
  });

  it('keeps counters in Valkey: nothing is evicted, everything is written down', () => {
    const command: string[] = compose.services.valkey.command;
    const option = (name: string) => command[command.indexOf(name) + 1];
    expect([option('--maxmemory-policy'), option('--appendonly')]).toEqual(['noeviction', 'yes']);
  });
});

/** The instructions of the Dockerfile. A single instruction is that of the last stage. */
function readImage() {
  const text = read('Dockerfile').replace(/\\\n\s*/g, ' ');
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const value = (name: string) => {
    const line = last.find((candidate) => candidate.startsWith(`${name} `));
    if (!line) throw new Error(`the last stage has no ${name}`);
    return line.slice(name.length + 1);
  };
  return {
    text,
    value,
    /** An instruction in exec form, which starts no shell between the engine and the process. */
    words: (name: string) => JSON.parse(value(name).replace(/^[^[]*/, '')) as string[],
    environment: Object.fromEntries(
      value('ENV')
        .split(/\s+/)
        .map((pair) => pair.split('=') as [string, string]),
    ) as Environment,
    /** The files that are copied from the repository. */
    copied: () =>
      lines
        .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
        .flatMap((line) => line.split(/\s+/).slice(1, -1)),
  };
}

function inRepository(word: string): string {
  return word.startsWith('/app/') ? join(root, word.slice('/app/'.length)) : word;
}

async function portOf(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const port = line.match(/petstore is ready at http:\/\/[^"]*:(\d+)/)?.[1];
    if (port) {
      child.stdout!.resume();
      return Number(port);
    }
  }
  throw new Error('the service ended before it was ready');
}

/** The exit code of the image's HEALTHCHECK. */
function healthcheck(port: number): number | null {
  const [program, ...args] = image.words('HEALTHCHECK').map(inRepository);
  return spawnSync(program!, args, { env: { PETSTORE_PORT: String(port) } }).status;
}

function nodeNames(): string[] {
  return Object.keys(compose.services).filter((name) => compose.services[name].build);
}

function serversOf(backend: string): string[] {
  const section = balancer.split(`\nbackend ${backend}\n`)[1]!.split('\n\n')[0]!;
  return [...section.matchAll(/^ *server \S+ (\S+)/gm)].map(([, address]) => address!);
}

function parseEnvironmentFile(file: string): Environment {
  const pairs = read(file).match(/^\w+=.*$/gm) ?? [];
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}

/** The values that compose puts in place of ${NAME:?…}. */
function interpolate(environment: Environment, values: Environment): Environment {
  const entries = Object.entries(environment).map(([name, text]) => [
    name,
    text.replace(/\$\{(\w+):\?[^}]*\}/g, (_, used: string) => {
      if (!values[used]) throw new Error(`${name} uses ${used}, which example.env does not name`);
      return values[used];
    }),
  ]);
  return Object.fromEntries(entries);
}
