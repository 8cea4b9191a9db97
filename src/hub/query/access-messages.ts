// SPDX-License-Identifier: Apache-2.0
// Answers about access as messages.
import { create } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import {
  type AccessChange,
  AccessChangeSchema,
  type AccessRule,
  AccessRuleSchema,
  type ExplainAccessResponse,
  ExplainAccessResponseSchema,
  type User,
  type Viewer,
  ViewerSchema,
} from "../../gen/flotilla/query/v1/query_pb.ts";
import type { AccessHolder } from "../../index/access/access-holder.ts";
import type { AccessibleKind, AccessRuleRow } from "../../index/access/access-rule-rows.ts";
import { applicationOf } from "../../index/access/application-objects.ts";
import type { ObjectExplanation } from "../../index/access/explain-object.ts";
import type { ObjectViewer } from "../../index/access/who-can-see.ts";
import { quote } from "../../model/text.ts";
import type { AskedUser, PreviewedChange } from "../rows/fleet-queries.ts";
import { toObjectKey } from "./analysis-messages.ts";

/** Most groups of a user that is asked about, and most characters of a name. Those of Kubernetes' certificates fit. */
const [maxGroups, maxNameLength] = [256, 1_024];

/** The user of a request; undefined for the caller. Throws INVALID_ARGUMENT for an empty or oversized one. */
export function askedUser(user: User | undefined): AskedUser | undefined {
  if (user === undefined) return undefined;
  const { name, groups } = user;
  if (name === "")
    throw new FlotillaError("INVALID_ARGUMENT", "name the user; leave the user out to ask about yourself");
  if (groups.length > maxGroups || [name, ...groups].some((text) => text.length > maxNameLength))
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `a user has at most ${maxGroups} groups, and names have at most ${maxNameLength} characters`,
    );
  return { name, groups };
}

export function toAccessRule(row: AccessRuleRow): AccessRule {
  const { cluster, role, namespace, roleKind, accessibleKinds, bindingKind, bindingName, subject } = row;
  // The Namespace object of a RoleBinding's own namespace is named by the namespace of the rule already.
  const isOwnNamespace = ({ resource }: AccessibleKind): boolean => resource === "namespaces" && namespace !== "";
  return create(AccessRuleSchema, {
    cluster,
    role,
    namespace,
    accessibleKinds: accessibleKinds.map(({ kind }) => kind),
    roleKind,
    binding: bindingName,
    bindingKind,
    subject,
    resourceNames: accessibleKinds
      .filter((each) => !isOwnNamespace(each))
      .flatMap(({ kind, resourceNames }) => resourceNames.map((name) => `${kind}/${name}`)),
  });
}

export function toExplanation(
  { isVisible, sentence, via, missing }: ObjectExplanation,
  caveat: string,
): ExplainAccessResponse {
  const application = applicationOf(via?.binding.name ?? "");
  return create(ExplainAccessResponseSchema, {
    isVisible,
    sentence:
      application === undefined || via === undefined
        ? sentence
        : `The application ${quote(application)} of the hub shows it to ${via.subject.kind} ${quote(via.subject.name)}.`,
    binding: via?.binding.name ?? "",
    role: via?.binding.roleRef.name ?? "",
    verb: (via?.rule ?? missing?.rule)?.verbs.join(",") ?? "",
    caveat,
  });
}

function toHolder({ kind, namespace, name }: AccessHolder): Pick<Viewer, "kind" | "namespace" | "name"> {
  return { kind, namespace, name };
}

export function toViewerMessage({ holder, binding, verb }: ObjectViewer): Viewer {
  return create(ViewerSchema, {
    ...toHolder(holder),
    binding: binding?.name ?? "",
    role: binding?.roleRef.name ?? "",
    verb,
  });
}

export function toAccessChange(change: PreviewedChange): AccessChange {
  const { holder, resource, kind, visibleBefore, visibleAfter, samples } = change;
  return create(AccessChangeSchema, {
    viewer: create(ViewerSchema, toHolder(holder)),
    resource,
    kind,
    visibleBefore: BigInt(visibleBefore),
    visibleAfter: BigInt(visibleAfter),
    samples: samples.map(toObjectKey),
  });
}
