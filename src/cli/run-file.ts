// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";

/** `DATA_DIR/run.json`: written by a running `flotilla up` or `flotilla hub`, so that other processes find it. */
export interface RunFile {
  readonly pid: number;
  readonly hubUrl: string;
  readonly httpUrl: string;
  /** CA file of the hub's certificate; empty if the operator supplied the certificate and knows its CA. */
  readonly caFile: string;
  readonly adminTokenFile: string;
  readonly kubeconfig: string;
  readonly clusters: readonly { readonly id: string; readonly region: string; readonly context: string }[];
  /** Real clusters adopted by `up`, each with its context in the user's kubeconfig. */
  readonly adopted: readonly { readonly id: string; readonly context: string; readonly kubeconfig: string }[];
}

/** The fields that a caller of the hub needs. */
export type HubOfRunFile = Pick<RunFile, "hubUrl" | "httpUrl" | "caFile" | "adminTokenFile">;

/** Name of the file in the data directory. */
export const runFileName = "run.json";

/** Parses a run file. Throws MALFORMED with the file and field if it is invalid. */
export function parseRunFile(path: string, text: string): HubOfRunFile {
  const fields = parseObject(path, text);
  const read = (name: string, mayBeEmpty = false): string => {
    const value = fields.get(name);
    if (typeof value === "string" && (value !== "" || mayBeEmpty)) return value;
    throw new FlotillaError("MALFORMED", `${path} has no ${name}; remove it and start the hub again`);
  };
  return {
    hubUrl: read("hubUrl"),
    httpUrl: read("httpUrl", true),
    caFile: read("caFile", true),
    adminTokenFile: read("adminTokenFile"),
  };
}

function parseObject(path: string, text: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return new Map(Object.entries(value));
  } catch (cause) {
    throw new FlotillaError("MALFORMED", `${path} is not JSON; remove it and start the hub again`, { cause });
  }
  throw new FlotillaError("MALFORMED", `${path} is not an object; remove it and start the hub again`);
}
