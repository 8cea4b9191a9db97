// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultListenerLimits, defaultUnauthenticatedLimits } from "../../rpc/listener/listener-limits.ts";
import { fieldNameOf, isGivenBy, type OptionSpec, variableNameOf } from "./option.ts";
import { type ConfigOf, optionsOf, optionTable } from "./option-table.ts";
import { readConfig, readSettings } from "./read-config.ts";
import { Secret } from "./secret-value.ts";
import { fakeFiles, input } from "./testing/config-input.ts";

const all: readonly OptionSpec[] = optionTable;

/** For each option a value other than its default, as written and as read. */
const samples: Readonly<Record<string, readonly [text: string, value: unknown]>> = {
  config: ["settings.yaml", "settings.yaml"],
  "data-dir": ["/srv/flotilla", "/srv/flotilla"],
  address: ["0.0.0.0", "0.0.0.0"],
  port: ["8443", 8443],
  "http-port": ["0", 0],
  "admin-port": ["9090", 9090],
  "cluster-identities": ["/hub/identities.yaml", "/hub/identities.yaml"],
  "tls-cert-file": ["/tls/tls.crt", "/tls/tls.crt"],
  "tls-key-file": ["/tls/tls.key", "/tls/tls.key"],
  hosts: ["hub.example.com,10.0.0.1", ["hub.example.com", "10.0.0.1"]],
  "public-url": ["https://hub.example.com:7443", "https://hub.example.com:7443"],
  "max-message-size": ["16MiB", 16_777_216],
  "max-connections": ["10", 10],
  "max-unauthenticated-connections": ["5", 5],
  "authentication-timeout": ["5s", 5_000],
  "max-streams-per-caller": ["4", 4],
  "request-timeout": ["1m30s", 90_000],
  "drain-timeout": ["5s", 5_000],
  "change-retention": ["7d", 604_800_000],
  "encrypted-resources": ["secrets,configmaps", ["secrets", "configmaps"]],
  "allow-loopback-imports": ["true", true],
  "agent-image": ["registry.example.com/flotilla:1", "registry.example.com/flotilla:1"],
  "agent-image-pull-secrets": ["pull-one,pull-two", ["pull-one", "pull-two"]],
  "log-level": ["debug", "debug"],
  "log-format": ["json", "json"],
  "heartbeat-interval": ["2s", 2_000],
  "claim-grace-period": ["30s", 30_000],
  "admission-rate": ["10", 10],
  "first-syncs": ["3", 3],
  "ingest-budget": ["64MiB", 64 * 1024 * 1024],
  "max-cluster-rows": ["5000", 5_000],
  "max-cluster-kinds": ["300", 300],
  "max-cluster-size": ["1GiB", 1024 * 1024 * 1024],
  "stale-after": ["1m", 60_000],
  "history-retention": ["30d", 2_592_000_000],
  "audit-retention": ["90d", 7_776_000_000],
  "webhook-url": ["https://pager.example.com/hook", "https://pager.example.com/hook"],
  "webhook-secret": ["file:/run/token", "the-token"],
  "authorizer-mode": ["closed", "closed"],
  "access-samples": ["12", 12],
  "grants-bound": ["5m", 300_000],
  "viewer-groups": ["sre,dev", ["sre", "dev"]],
  "access-reviews": ["false", false],
  "gitops-kubeconfig": ["/etc/management", "/etc/management"],
  "gitops-context": ["management", "management"],
  "gitops-namespaces": ["fleet,default", ["fleet", "default"]],
  "gitops-interval": ["1m", 60_000],
  "fleet-queries": ["false", false],
  "standing-queries-per-owner": ["20", 20],
  "allow-loopback-webhooks": ["true", true],
  clusters: ["5", 5],
  silent: ["true", true],
  open: ["false", false],
  "cluster-id": ["production-east", "production-east"],
  region: ["eu-1", "eu-1"],
  environment: ["staging", "staging"],
  "cluster-version": ["r7", "r7"],
  labels: ["tier=gold,zone=a", ["tier=gold", "zone=a"]],
  "join-token-file": ["/join/token", "/join/token"],
  "key-file": ["/keys/east.json", "/keys/east.json"],
  "admin-address": ["0.0.0.0", "0.0.0.0"],
  kubeconfig: ["/home/kubeconfig", "/home/kubeconfig"],
  context: ["east", "east"],
  "object-reads": ["true", true],
  namespaces: ["shop,bank", ["shop", "bank"]],
  "exclude-namespaces": ["kube-system", ["kube-system"]],
  kinds: ["default,po,cert-manager.io/*", ["default", "po", "cert-manager.io/*"]],
  "exclude-kinds": ["events", ["events"]],
  "sync-interval": ["20s", 20_000],
  "min-sync-interval": ["200ms", 200],
  "max-sync-interval": ["2m", 120_000],
  "connect-timeout": ["5s", 5_000],
  "retry-limit": ["3", 3],
  "retry-first": ["1s", 1_000],
  "retry-cap": ["20s", 20_000],
  "reconnect-first": ["1s", 1_000],
  "reconnect-cap": ["20s", 20_000],
  "backoff-factor": ["3", 3],
  "reconnect-stable": ["30s", 30_000],
  "page-size": ["100", 100],
  "max-object-size": ["1MiB", 1024 * 1024],
  "watch-silence": ["2m", 120_000],
  "relist-interval": ["1h", 3_600_000],
  "discovery-interval": ["30s", 30_000],
  "health-interval": ["20s", 20_000],
  "health-timeout": ["2s", 2_000],
  "health-poll": ["false", false],
  "constrained-impersonation": ["true", true],
  image: ["registry.example.com/flotilla:1", "registry.example.com/flotilla:1"],
  "join-secret": ["token-of-east", "token-of-east"],
  hub: ["https://hub.example.com:7443", "https://hub.example.com:7443"],
  "ca-file": ["/tls/ca.crt", "/tls/ca.crt"],
  token: ["file:/run/token", "the-token"],
  pin: [`sha256:${"a".repeat(64)}`, `sha256:${"a".repeat(64)}`],
  name: ["prod", "prod"],
  output: ["yaml", "yaml"],
  user: ["ann", "ann"],
  groups: ["dev,ops", ["dev", "ops"]],
  users: ["ann,bob", ["ann", "bob"]],
  description: ["for the pipeline", "for the pipeline"],
  ttl: ["0", 0],
  cursor: ["abc", "abc"],
  selector: ["environment=staging", "environment=staging"],
  kind: ["pods,apps/deployments", ["pods", "apps/deployments"]],
  namespace: ["shop", "shop"],
  "token-only": ["true", true],
  wait: ["true", true],
  uses: ["3", 3],
  "join-ttl": ["30m", 1_800_000],
  "needs-approval": ["true", true],
  "all-contexts": ["prod-*", "prod-*"],
  "id-template": ["{region}-{name}", "{region}-{name}"],
  "own-credential": ["true", true],
  as: ["production-east", "production-east"],
  revoke: ["true", true],
  yes: ["true", true],
  cluster: ["east,west", ["east", "west"]],
  position: ["abc.7", "abc.7"],
  follow: ["true", true],
  verify: ["true", true],
  noted: ["7:ab", "7:ab"],
  actor: ["ann", "ann"],
  action: ["cluster.pause", "cluster.pause"],
  since: ["24h", 86_400_000],
  limit: ["20", 20],
  watch: ["true", true],
  at: ["now-1h", "now-1h"],
  "changes-since": ["1h", "1h"],
  until: ["30m", "30m"],
  sort: ["-age,name", ["-age", "name"]],
  facets: ["status,kind", ["status", "kind"]],
  "group-by": ["cluster", ["cluster"]],
  measure: ["field.restarts", "field.restarts"],
  explain: ["true", true],
  "include-deleted": ["true", true],
  deleted: ["true", true],
  "all-namespaces": ["true", true],
  status: ["unhealthy,degraded", ["unhealthy", "degraded"]],
  degraded: ["true", true],
  golden: ["east", "east"],
  all: ["true", true],
  me: ["true", true],
  filename: ["binding.yaml", "binding.yaml"],
  private: ["true", true],
  columns: ["name,label.app", ["name", "label.app"]],
  owner: ["ann", "ann"],
  "all-owners": ["true", true],
  on: ["threshold", "threshold"],
  above: ["10", 10],
  "clear-at": ["5", 5],
  for: ["5m", 300_000],
  receiver: ["https://hooks.example.com/x", "https://hooks.example.com/x"],
  "signing-secret": ["file:/run/token", "the-token"],
  interval: ["2m", 120_000],
  to: ["/backups/1", "/backups/1"],
  "with-keys": ["true", true],
  "passphrase-file": ["/etc/flotilla/passphrase", "/etc/flotilla/passphrase"],
  from: ["/backups/1", "/backups/1"],
};

function readBack(spec: OptionSpec, given: { argv?: string[]; env?: Record<string, string>; file?: string }): unknown {
  const readFile = fakeFiles({ "/run/token": "the-token", "settings.yaml": "", "/f.yaml": given.file ?? "" });
  const argv = [...(given.argv ?? []), ...(given.file === undefined ? [] : ["--config", "/f.yaml"])];
  const known = given.file === undefined ? [spec] : [spec, ...all.filter(({ name }) => name === "config")];
  const { settings } = readSettings(known, all, input({ argv, env: given.env ?? {}, readFile }));
  const value = settings.find((setting) => setting.spec === spec)?.value;
  return value instanceof Secret ? value.reveal() : value;
}

test("the table names each option once, and every one has a sample here", () => {
  expect(all.map(({ name }) => name)).toEqual(Object.keys(samples));
});

describe("[U-74] every option is read back", () => {
  const rows = all.map((spec) => [spec.name, spec, ...(samples[spec.name] ?? ["", undefined])] as const);

  test.each(rows)("--%s from its flag", (name, spec, text, expected) => {
    expect(readBack(spec, { argv: [`--${name}=${text}`] })).toEqual(expected);
  });

  test.each(rows.filter(([, spec]) => isGivenBy(spec, "variable")))(
    "%s from its variable",
    (_name, spec, text, expected) => {
      expect(readBack(spec, { env: { [variableNameOf(spec)]: text } })).toEqual(expected);
    },
  );

  test.each(rows.filter(([, spec]) => isGivenBy(spec, "file")))("%s from the file", (name, spec, text, expected) => {
    expect(readBack(spec, { file: `${name}: ${JSON.stringify(text)}\n` })).toEqual(expected);
  });
});

test.each(all.map((spec) => [spec.name, spec] as const))(
  "%s has a default that passes its own rules, and a description in sentences",
  (name, spec) => {
    expect(() => (spec.required === true ? undefined : readBack(spec, {}))).not.toThrow();
    expect(spec.description).toMatch(/^[A-Z].*\.$/s);
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  },
);

test("[RP5, RP54, RP55] the limits of connections have the same default as an option, as the spec says it and in the listener", () => {
  const { config } = readConfig("hub", input());
  expect(config).toMatchObject({
    maxConnections: defaultListenerLimits.maxConnectionCount,
    maxUnauthenticatedConnections: defaultUnauthenticatedLimits.maxCountPerAddress,
    authenticationTimeoutMs: defaultUnauthenticatedLimits.timeoutMs,
  });
  const spec = readFileSync(new URL("../../../docs/spec/rpc.md", import.meta.url), "utf8");
  expect(spec).toContain("**RP5** At most 8,192 connections per listener (`--max-connections`)");
  expect(config.maxConnections).toBe(8_192);
});

test("the fields that the compiler sees are the fields that are made", () => {
  // Each record is total by its type, so an option more or less on either side fails to compile or fails here.
  const hub: Record<keyof ConfigOf<"hub">, true> = {
    config: true,
    dataDir: true,
    address: true,
    port: true,
    httpPort: true,
    adminPort: true,
    clusterIdentities: true,
    tlsCertFile: true,
    tlsKeyFile: true,
    hosts: true,
    publicUrl: true,
    maxMessageSizeBytes: true,
    maxConnections: true,
    maxUnauthenticatedConnections: true,
    authenticationTimeoutMs: true,
    maxStreamsPerCaller: true,
    requestTimeoutMs: true,
    drainTimeoutMs: true,
    changeRetentionMs: true,
    encryptedResources: true,
    allowLoopbackImports: true,
    agentImage: true,
    agentImagePullSecrets: true,
    logLevel: true,
    logFormat: true,
    heartbeatIntervalMs: true,
    claimGracePeriodMs: true,
    admissionRate: true,
    firstSyncs: true,
    ingestBudgetBytes: true,
    maxClusterRows: true,
    maxClusterKinds: true,
    maxClusterSizeBytes: true,
    staleAfterMs: true,
    historyRetentionMs: true,
    auditRetentionMs: true,
    webhookUrl: true,
    webhookSecret: true,
    authorizerMode: true,
    accessSamples: true,
    grantsBoundMs: true,
    gitopsKubeconfig: true,
    gitopsContext: true,
    gitopsNamespaces: true,
    gitopsIntervalMs: true,
    fleetQueries: true,
    standingQueriesPerOwner: true,
    allowLoopbackWebhooks: true,
  };
  const create: Record<keyof ConfigOf<"token create">, true> = {
    config: true,
    dataDir: true,
    hub: true,
    caFile: true,
    token: true,
    output: true,
    user: true,
    groups: true,
    description: true,
    ttlMs: true,
  };
  expect(optionsOf("hub").map(fieldNameOf)).toEqual(Object.keys(hub));
  expect(optionsOf("token create").map(fieldNameOf)).toEqual(Object.keys(create));
});

test("short flags are one letter and mean one option of a verb", () => {
  for (const verb of new Set(all.flatMap(({ verbs }) => verbs))) {
    const letters = optionsOf(verb).flatMap(({ short }) => short ?? []);
    expect(letters.every((letter) => /^[a-zA-Z]$/.test(letter))).toBe(true);
    expect(new Set(letters).size).toBe(letters.length);
  }
});

test("an option has its own choices, default and range for a verb, with a default that passes them", () => {
  const outputs = (verb: string): unknown => optionsOf(verb).find(({ name }) => name === "output");
  expect(outputs("query")).toMatchObject({ choices: expect.arrayContaining(["csv", "ndjson"]), default: "text" });
  expect(outputs("token list")).toMatchObject({ choices: ["text", "json", "yaml"] });
  expect(readConfig("get", input()).config.limit).toBe(0);
  expect(readConfig("audit", input()).config.limit).toBe(100);
  expect(() => readConfig("audit", input({ argv: ["--limit", "0"] }))).toThrow("is not between 1 and 100000");
  const readFile = fakeFiles({ "/f.yaml": "output: csv\n" });
  expect(readConfig("query", input({ argv: ["--config", "/f.yaml"], readFile })).config.output).toBe("csv");
  expect(() => readConfig("token list", input({ argv: ["--config", "/f.yaml"], readFile }))).toThrow(
    'output "csv" is not one of text, json, yaml',
  );
  const variants = all.flatMap((spec) => Object.keys(spec.variants ?? {}).map((verb) => [spec, verb] as const));
  for (const [spec, verb] of variants) {
    expect(spec.verbs).toContain(verb);
    const own = optionsOf(verb).find(({ name }) => name === spec.name);
    expect(own?.description).toMatch(/^[A-Z].*\.$/s);
    if (own !== undefined) expect(() => readBack(own, {})).not.toThrow();
  }
});
