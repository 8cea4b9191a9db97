// SPDX-License-Identifier: Apache-2.0

import { isObject } from "../../kinds/fields.ts";
import { bearerOf, type Credential } from "./credential.ts";

/** A plugin's credential and its expiry by wall clock; Infinity if it is valid until refused. */
export interface ExecCredential {
  readonly credential: Credential;
  readonly expiresAtMs: number;
}

/** What is wrong with a plugin's answer. The message shows nothing of the answer (KU9). */
export class ExecAnswerError extends Error {
  override readonly name = "ExecAnswerError";
}

/** Parses the ExecCredential that a plugin wrote. Throws an ExecAnswerError, or a KubeError for an invalid token. */
export function parseExecCredential(output: string, apiVersion: string, from: string): ExecCredential {
  const answer = parseJson(output);
  const text = (fields: unknown, name: string): string | undefined => {
    const value = isObject(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") throw new ExecAnswerError(`its ${name} is not text`);
    return value;
  };
  if (text(answer, "kind") !== "ExecCredential") throw new ExecAnswerError("it did not write an ExecCredential");
  if (text(answer, "apiVersion") !== apiVersion) {
    throw new ExecAnswerError(`it answered in another apiVersion than ${apiVersion}, which the kubeconfig asks for`);
  }
  const status = isObject(answer) ? answer["status"] : undefined;
  if (!isObject(status)) throw new ExecAnswerError("its answer has no status");
  const token = text(status, "token");
  const certificate = text(status, "clientCertificateData");
  const key = text(status, "clientKeyData");
  if (token === undefined && certificate === undefined && key === undefined) {
    throw new ExecAnswerError("its answer has neither a token nor a client certificate");
  }
  if ((certificate === undefined) !== (key === undefined)) {
    throw new ExecAnswerError("its answer has only one of clientCertificateData and clientKeyData");
  }
  return {
    credential: {
      authorization: token === undefined ? undefined : bearerOf(token, from),
      clientCertificate: certificate === undefined || key === undefined ? undefined : { certificate, key },
    },
    expiresAtMs: parseExpiry(text(status, "expirationTimestamp")),
  };
}

function parseJson(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch (reason) {
    // The parser's message quotes the text, which may hold a token, so it is not attached as cause.
    if (reason instanceof SyntaxError) throw new ExecAnswerError("it did not write JSON");
    throw reason;
  }
}

function parseExpiry(timestamp: string | undefined): number {
  if (timestamp === undefined) return Number.POSITIVE_INFINITY;
  const atMs = Date.parse(timestamp);
  if (Number.isNaN(atMs)) throw new ExecAnswerError("its expirationTimestamp is not an RFC 3339 time");
  return atMs;
}
