// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { FieldReader } from "../model/field-reader.ts";

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
  const fields = FieldReader.ofJson(text);
  const run = {
    hubUrl: fields.requiredText("hubUrl"),
    httpUrl: fields.text("httpUrl") ?? "",
    caFile: fields.text("caFile") ?? "",
    adminTokenFile: fields.requiredText("adminTokenFile"),
  };
  const problem = fields.problem(path);
  if (problem === undefined) return run;
  throw new FlotillaError("MALFORMED", `${problem}; remove the file and start the hub again`);
}
