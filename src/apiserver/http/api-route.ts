// SPDX-License-Identifier: Apache-2.0
import type { RawRoute } from "../../rpc/http/raw-route.ts";
import type { ApiServer } from "../api-server.ts";
import { answerHttp } from "./answer-http.ts";
import { answerHeaders } from "./send-http.ts";

/**
 * An API server below a path of another listener, such as `/clusters/root/`. A request for `/clusters/root/api/v1/pods`
 * is handled as `/api/v1/pods` (AP42). The API server authenticates by its own tokens, and its RBAC authorizes.
 */
export function createApiRoute(path: `/${string}/`, server: ApiServer): RawRoute {
  return {
    path,
    match: "prefix",
    access: { kind: "public", because: "the API server authenticates each request, and its own RBAC decides on it" },
    async raw(request) {
      const url = request.url.slice(path.length - 1);
      const signal = AbortSignal.any([request.signal, server.closing]);
      const answer = await answerHttp(server, { ...request, url }, signal);
      return { status: answer.status, headers: answerHeaders(answer), body: answer.body };
    },
  };
}
