// SPDX-License-Identifier: Apache-2.0

import { FieldReader } from "../../model/field-reader.ts";
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
  const answer = FieldReader.ofJson(output);
  const kind = answer.text("kind");
  const version = answer.text("apiVersion");
  const status = answer.below("status");
  const token = status?.text("token");
  const certificate = status?.text("clientCertificateData");
  const key = status?.text("clientKeyData");
  const expiry = status?.text("expirationTimestamp");
  const [mistake] = answer.mistakes;
  if (mistake?.field === "") throw new ExecAnswerError("it did not write JSON");
  if (kind !== "ExecCredential") throw new ExecAnswerError("it did not write an ExecCredential");
  if (mistake !== undefined) throw new ExecAnswerError(`its ${mistake.field} ${mistake.sentence}`);
  if (version !== apiVersion) {
    throw new ExecAnswerError(`it answered in another apiVersion than ${apiVersion}, which the kubeconfig asks for`);
  }
  if (status === undefined) throw new ExecAnswerError("its answer has no status");
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
    expiresAtMs: parseExpiry(expiry),
  };
}

function parseExpiry(timestamp: string | undefined): number {
  if (timestamp === undefined) return Number.POSITIVE_INFINITY;
  const atMs = Date.parse(timestamp);
  if (Number.isNaN(atMs)) throw new ExecAnswerError("its expirationTimestamp is not an RFC 3339 time");
  return atMs;
}
