// SPDX-License-Identifier: Apache-2.0

// Parses kubeconfigs into typed contexts, merged as in kubectl. A mistake in an entry affects only the contexts that
// use it.
import { dirname, resolve } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { matchGlob } from "../../base/match-glob.ts";
import { isObject } from "../../kinds/fields.ts";
import { type FieldMistake, FieldReader } from "../../model/field-reader.ts";
import type { ClusterAccess, UserAccess } from "./cluster-access.ts";
import { parseKubeconfigDocument } from "./kubeconfig-document.ts";
import { type ClusterEntry, parseCluster } from "./parse-cluster.ts";
import { parseUser } from "./parse-user.ts";

/** One kubeconfig: its path and its text. Relative paths in it start from the folder of `path`. */
export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** One mistake in a kubeconfig. The sentence never shows a value (KU9). */
export interface KubeconfigMistake extends FieldMistake {
  readonly file: string;
  /** `cluster "prod"`, `user "me"`; empty for the file as a whole. */
  readonly entry: string;
}

/** `kubeconfig /home/me/.kube/config, user "me": token must be text`. */
function formatMistake({ file, entry, field, sentence }: KubeconfigMistake): string {
  const place = entry === "" ? `kubeconfig ${file}` : `kubeconfig ${file}, ${entry}`;
  return field === "" ? `${place} ${sentence}` : `${place}: ${field} ${sentence}`;
}

interface Entry<T> {
  readonly value: T;
  readonly file: string;
  readonly mistakes: readonly KubeconfigMistake[];
}

interface ContextEntry {
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

/** Merged kubeconfigs. If several files have an entry of the same name, the first one is used as a whole. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, Entry<ClusterEntry>>;
  readonly users: ReadonlyMap<string, Entry<UserAccess>>;
  readonly contexts: ReadonlyMap<string, Entry<ContextEntry>>;
  /** Of the first file that sets one. */
  readonly currentContext: string | undefined;
  /** All mistakes of entries that are used. */
  readonly mistakes: readonly KubeconfigMistake[];
}

/** Parses and merges kubeconfigs. Throws CONFIG_INVALID for a file that is not a kubeconfig. */
export async function parseKubeconfig(files: readonly KubeconfigFile[]): Promise<Kubeconfig> {
  const clusters = new Map<string, Entry<ClusterEntry>>();
  const users = new Map<string, Entry<UserAccess>>();
  const contexts = new Map<string, Entry<ContextEntry>>();
  const mistakes: KubeconfigMistake[] = [];
  let currentContext: string | undefined;
  for (const { path, text } of files) {
    const top = topFields(path, await parseKubeconfigDocument(path, text));
    const fromFolder = (relative: string): string => resolve(dirname(path), relative);
    const read = <T>(kind: string, into: Map<string, Entry<T>>, parse: (fields: FieldReader) => T): void =>
      readEntries({ top, kind, file: path, into, parse });
    read("cluster", clusters, (fields) => parseCluster(fields, fromFolder));
    read("user", users, (fields) => parseUser(fields, fromFolder));
    read("context", contexts, parseContext);
    currentContext ??= top.text("current-context");
    mistakes.push(...top.mistakes.map((mistake) => ({ file: path, entry: "", ...mistake })));
  }
  const counted = [clusters, users, contexts].flatMap((map) => [...map.values()].flatMap((entry) => entry.mistakes));
  return { clusters, users, contexts, currentContext, mistakes: [...mistakes, ...counted] };
}

function topFields(file: string, document: unknown): FieldReader {
  if (document !== null && document !== undefined && !isObject(document)) {
    throw invalid([
      {
        file,
        entry: "",
        field: "",
        sentence: "is not a kubeconfig: it must be a map with clusters, users and contexts",
      },
    ]);
  }
  const top = new FieldReader(document);
  const kind = top.raw("kind");
  if (kind !== undefined && kind !== null && kind !== "Config") {
    throw invalid([{ file, entry: "", field: "kind", sentence: "must be Config; this is another kind of file" }]);
  }
  return top;
}

function readEntries<T>(options: {
  readonly top: FieldReader;
  readonly kind: string;
  readonly file: string;
  readonly into: Map<string, Entry<T>>;
  readonly parse: (fields: FieldReader) => T;
}): void {
  const { top, kind, file, into, parse } = options;
  const seen = new Set<string>();
  for (const each of top.list(`${kind}s`)) {
    const name = isObject(each) ? each["name"] : undefined;
    if (!isObject(each) || typeof name !== "string" || name === "") {
      top.mistake(`${kind}s`, `has an entry without a name`);
      continue;
    }
    if (seen.has(name)) top.mistake(`${kind}s`, `holds ${quote(name)} twice; the first one counts`);
    seen.add(name);
    if (into.has(name)) continue;
    const fields = new FieldReader(each[kind]);
    const value = parse(fields);
    const place = { file, entry: `${kind} ${quote(name)}` };
    into.set(name, { value, file, mistakes: fields.mistakes.map((mistake) => ({ ...place, ...mistake })) });
  }
}

function parseContext(fields: FieldReader): ContextEntry {
  const cluster = fields.text("cluster");
  if (cluster === undefined) fields.mistake("cluster", "is missing; it is the name of a cluster entry");
  return { cluster, user: fields.text("user"), namespace: fields.text("namespace") };
}

/**
 * The access of the context, or of the current one if none is named. Throws CONFIG_INVALID with every mistake in the
 * context, its cluster and its user.
 */
export function resolveContext(config: Kubeconfig, name = config.currentContext): ClusterAccess {
  if (name === undefined) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `the kubeconfig has no current context; name one of ${namesOf(config.contexts)}`,
    );
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    const whole = config.mistakes.filter(({ entry }) => entry === "").map(formatMistake);
    const sentence = `the kubeconfig has no context ${quote(name)}; it has ${namesOf(config.contexts)}`;
    throw new FlotillaError("CONFIG_INVALID", [sentence, ...whole].join("; "));
  }
  const { value, file } = context;
  const mistakes = [...context.mistakes];
  const find = <T>(kind: string, entries: ReadonlyMap<string, Entry<T>>, wanted: string | undefined): T | undefined => {
    if (wanted === undefined) return undefined;
    const found = entries.get(wanted);
    if (found === undefined) {
      const sentence = `is ${quote(wanted)}, but there is no such ${kind}`;
      mistakes.push({ file, entry: `context ${quote(name)}`, field: kind, sentence });
    }
    mistakes.push(...(found?.mistakes ?? []));
    return found?.value;
  };
  const cluster = find("cluster", config.clusters, value.cluster);
  const user = find("user", config.users, value.user);
  if (mistakes.length > 0 || cluster?.server === undefined) throw invalid(mistakes);
  return toAccess(name, value.namespace, { ...cluster, server: cluster.server }, user);
}

function toAccess(
  name: string,
  namespace: string | undefined,
  cluster: ClusterEntry & { readonly server: URL },
  user: UserAccess | undefined,
): ClusterAccess {
  const { execConfig, ...target } = cluster;
  const exec = user?.exec === undefined ? undefined : { ...user.exec, clusterConfig: execConfig };
  return {
    name,
    ...target,
    namespace,
    user: {
      clientCertificate: user?.clientCertificate,
      token: user?.token,
      tokenFile: user?.tokenFile,
      basicAuth: user?.basicAuth,
      exec,
      impersonation: user?.impersonation,
    },
    isRestricted: false,
  };
}

/** The names of contexts that match `glob`, sorted. `*` stands for any text and `?` for one character. */
export function selectContexts(config: Kubeconfig, glob: string): string[] {
  return [...config.contexts.keys()].filter((name) => matchGlob(glob, name)).sort();
}

function invalid(mistakes: readonly KubeconfigMistake[]): FlotillaError {
  return new FlotillaError("CONFIG_INVALID", mistakes.map(formatMistake).join("; "));
}

/** Names are foreign text, so they are cut and quoted. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** Most context names that a message lists. */
const shownNameCount = 10;

function namesOf(contexts: ReadonlyMap<string, unknown>): string {
  const names = [...contexts.keys()].slice(0, shownNameCount).map(quote);
  if (names.length === 0) return "none";
  return contexts.size > names.length
    ? `${names.join(", ")} and ${contexts.size - names.length} more`
    : names.join(", ");
}
