// SPDX-License-Identifier: Apache-2.0
import { anonymousSubject, type Subject } from "../../model/subject.ts";
import type { ApiServer } from "../api-server.ts";
import { refusal } from "../dispatch/handle-request.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { ApiError } from "../status/api-error.ts";
import { firstValue, type HttpParts, toApiRequest } from "./read-http.ts";

/** A request, with a callback for a valid token. */
export interface AuthenticatingParts extends HttpParts {
  noteAuthenticated(): void;
}

/** Authenticates and answers one HTTP request. Never rejects: a failure becomes a Status. */
export async function answerHttp(
  server: ApiServer,
  parts: AuthenticatingParts,
  signal: AbortSignal,
): Promise<ApiResponse> {
  try {
    return await server.handle(toApiRequest(parts, await authenticate(server, parts), signal));
  } catch (reason) {
    const { method, url } = parts;
    return refusal(server, { method, path: url, header: (name) => firstValue(parts, name) }, reason);
  }
}

async function authenticate(server: ApiServer, parts: AuthenticatingParts): Promise<Subject> {
  const token = /^ *bearer +(\S+)/i.exec(firstValue(parts, "authorization") ?? "")?.[1];
  // Other kinds of credentials are ignored.
  if (token === undefined) return anonymousSubject;
  const verdict = await server.authenticate(token);
  if ("error" in verdict) throw new ApiError(401, "Unauthorized", "Unauthorized");
  parts.noteAuthenticated();
  return verdict.subject;
}
