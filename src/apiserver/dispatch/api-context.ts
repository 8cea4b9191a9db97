// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Subject } from "../../model/subject.ts";
import type { ResourceAttributes } from "../../rbac/attributes.ts";
import type { Authorizer } from "../../rbac/authorizer-chain.ts";
import type { Policy } from "../../rbac/policy.ts";
import type { TokenAuthenticator } from "../access/authenticate-token.ts";
import type { AccountTokens } from "../accounts/account-tokens.ts";
import type { ApiRequest, ApiResponse } from "../request/api-request.ts";
import type { Resource } from "../resources/resource.ts";
import type { SchemaTable } from "../schema/schema.ts";
import type { ApiCluster } from "../verbs/api-cluster.ts";

/** Extensions by a playground or workspace: logs for simulated Pods. */
export interface ServerExtensions {
  /** Answers `pods/log`. Without it, `pods/log` is refused. */
  readonly podLog?: (
    pod: { readonly namespace: string; readonly name: string },
    query: URLSearchParams,
    signal: AbortSignal,
  ) => ApiResponse;
}

/** The dependencies of request handling. */
export interface ApiContext {
  readonly cluster: ApiCluster;
  readonly table: SchemaTable;
  readonly policy: Policy;
  readonly authorizer: Authorizer;
  readonly authenticate: TokenAuthenticator;
  readonly accounts: AccountTokens;
  readonly log: Logger;
  readonly extensions: ServerExtensions;
}

/** One request about a resource, after authorization. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly attributes: ResourceAttributes;
  readonly resource: Resource;
  /** After impersonation. */
  readonly user: Subject;
  /** Texts for Warning headers. A refusal carries those added before it. */
  readonly warnings: Set<string>;
}
