// SPDX-License-Identifier: Apache-2.0

import { isAbsolute, sep } from "node:path";
import { isObject } from "../../kinds/fields.ts";
import type { FieldReader } from "../../model/field-reader.ts";
import type {
  ClientCertificateMaterial,
  ExecApiVersion,
  ExecSpec,
  Impersonation,
  UserAccess,
} from "./cluster-access.ts";
import { parseMaterial } from "./parse-cluster.ts";

const execVersions: readonly ExecApiVersion[] = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
];

/** Parses a user entry. `resolve` makes paths absolute, relative to the kubeconfig's folder. */
export function parseUser(fields: FieldReader, resolve: (path: string) => string): UserAccess {
  const token = fields.text("token");
  const basicAuth = parseBasicAuth(fields);
  if (token !== undefined && basicAuth !== undefined) {
    fields.mistake("token", "cannot be combined with username and password; remove one of them");
  }
  if (fields.raw("auth-provider") !== undefined && fields.raw("auth-provider") !== null) {
    fields.mistake("auth-provider", "is no longer supported, as in kubectl; use an exec plugin instead");
  }
  return {
    clientCertificate: parseClientCertificate(fields, resolve),
    token,
    tokenFile: mapped(fields.text("tokenFile"), resolve),
    basicAuth,
    exec: parseExec(fields, resolve),
    impersonation: parseImpersonation(fields),
  };
}

function mapped<T>(value: string | undefined, map: (text: string) => T): T | undefined {
  return value === undefined ? undefined : map(value);
}

function parseBasicAuth(fields: FieldReader): UserAccess["basicAuth"] {
  const username = fields.text("username");
  const password = fields.text("password");
  if (username === undefined && password === undefined) return undefined;
  if (username?.includes(":") === true) fields.mistake("username", "must not hold a colon");
  return { username: username ?? "", password: password ?? "" };
}

function parseClientCertificate(
  fields: FieldReader,
  resolve: (path: string) => string,
): ClientCertificateMaterial | undefined {
  const mistakeCount = fields.mistakes.length;
  const certificate = parseMaterial(fields, "client-certificate", resolve);
  const key = parseMaterial(fields, "client-key", resolve);
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate === undefined && key === undefined) return undefined;
  if (fields.mistakes.length === mistakeCount) {
    const [missing, present] =
      key === undefined ? ["client-key", "client-certificate"] : ["client-certificate", "client-key"];
    fields.mistake(missing, `is missing beside ${present}; it can also be given as ${missing}-data`);
  }
  return undefined;
}

function parseExec(fields: FieldReader, resolve: (path: string) => string): ExecSpec | undefined {
  const exec = fields.below("exec");
  if (exec === undefined) return undefined;
  const version = exec.text("apiVersion");
  const apiVersion = execVersions.find((known) => known === version);
  if (apiVersion === undefined) exec.mistake("apiVersion", `must be ${execVersions.join(" or ")}`);
  const command = exec.text("command");
  if (command === undefined) exec.mistake("command", "is missing; it is the program that gives the credential");
  checkInteractiveMode(exec, apiVersion);
  return {
    apiVersion: apiVersion ?? "client.authentication.k8s.io/v1",
    command: resolveCommand(command ?? "", resolve),
    args: exec.texts("args"),
    env: parseEnv(exec),
    provideClusterInfo: exec.flag("provideClusterInfo"),
    installHint: exec.text("installHint") ?? "",
    clusterConfig: undefined,
  };
}

/** A relative path starts from the kubeconfig's folder; a bare name is looked up in PATH. */
function resolveCommand(command: string, resolve: (path: string) => string): string {
  return !isAbsolute(command) && command.includes(sep) ? resolve(command) : command;
}

function checkInteractiveMode(exec: FieldReader, apiVersion: ExecApiVersion | undefined): void {
  const mode = exec.text("interactiveMode");
  if (mode === "Always") {
    exec.mistake(
      "interactiveMode",
      "is Always, but the program has no terminal to prompt on; use IfAvailable or Never",
    );
  } else if (mode === undefined && apiVersion === "client.authentication.k8s.io/v1") {
    exec.mistake("interactiveMode", "is missing; it must be Never or IfAvailable");
  } else if (mode !== undefined && mode !== "Never" && mode !== "IfAvailable") {
    exec.mistake("interactiveMode", "must be Never or IfAvailable");
  }
}

function parseEnv(exec: FieldReader): ExecSpec["env"] {
  const env: { name: string; value: string }[] = [];
  for (const each of exec.list("env")) {
    const name = isObject(each) ? each["name"] : undefined;
    const value = isObject(each) ? (each["value"] ?? "") : undefined;
    const isUsable =
      typeof name === "string" && /^[^=\0]+$/.test(name) && typeof value === "string" && !value.includes("\0");
    if (isUsable) env.push({ name, value });
    else exec.mistake("env", "must be a list of maps with the texts name and value");
  }
  return env;
}

function parseImpersonation(fields: FieldReader): Impersonation | undefined {
  const user = fields.text("as");
  const uid = fields.text("as-uid");
  const groups = fields.texts("as-groups");
  const extra = new Map<string, readonly string[]>();
  const extraFields = fields.below("as-user-extra");
  const given = fields.raw("as-user-extra");
  if (extraFields !== undefined && isObject(given)) {
    for (const key of Object.keys(given)) extra.set(key.toLowerCase(), extraFields.texts(key));
  }
  if (user !== undefined) return { user, uid, groups, extra };
  if (uid !== undefined || groups.length > 0 || extra.size > 0) {
    fields.mistake("as", "is missing, but as-uid, as-groups and as-user-extra need it");
  }
  return undefined;
}
