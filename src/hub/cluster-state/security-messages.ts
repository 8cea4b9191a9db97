// SPDX-License-Identifier: Apache-2.0
// Istio's PeerAuthentications, RequestAuthentications and AuthorizationPolicies as messages: access control (N-18,
// N-19).
import { create } from "@bufbuild/protobuf";
import {
  type AuthorizationPolicy,
  AuthorizationPolicySchema,
  type PeerAuthentication,
  PeerAuthenticationSchema,
  type RequestAuthentication,
  RequestAuthenticationSchema,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { ObjectHead } from "./object-head.ts";
import type { Fields } from "./row-fields.ts";
import { toSelection } from "./selector-columns.ts";

/** The message of a PeerAuthentication's row. */
export function toPeerAuthentication(columns: Fields, head: ObjectHead): PeerAuthentication {
  return create(PeerAuthenticationSchema, {
    ...head,
    ...toSelection(columns),
    mode: columns.text("mode"),
    portModes: columns.parts("portModes").map((each) => ({ port: each.int32("port"), mode: each.text("mode") })),
  });
}

/** The message of a RequestAuthentication's row. */
export function toRequestAuthentication(columns: Fields, head: ObjectHead): RequestAuthentication {
  return create(RequestAuthenticationSchema, {
    ...head,
    ...toSelection(columns),
    jwtRules: columns.parts("jwtRules").map((rule) => ({
      issuer: rule.text("issuer"),
      audiences: rule.texts("audiences"),
      jwksUri: rule.text("jwksUri"),
      hasInlineKeys: rule.truth("hasInlineKeys") ?? false,
      forwardOriginalToken: rule.truth("forwardOriginalToken"),
    })),
  });
}

/** The message of an AuthorizationPolicy's row. */
export function toAuthorizationPolicy(columns: Fields, head: ObjectHead): AuthorizationPolicy {
  return create(AuthorizationPolicySchema, {
    ...head,
    ...toSelection(columns),
    action: columns.text("action"),
    ruleCount: columns.uint32("ruleCount") ?? 0,
    provider: columns.text("provider"),
    defaulted: columns.texts("defaulted"),
  });
}
