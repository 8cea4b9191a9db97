// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { Subject } from "../../model/subject.ts";
import type { Authorizer } from "../../rpc/authorize.ts";

/** What may be asked of the hub's own resources. */
export interface SightQuestion {
  readonly verb: "get" | "list" | "watch";
  readonly resource: "clusters" | "rows";
  /** "" = all. */
  readonly name?: string;
}

/**
 * Whether the subject may do this, judged anew each time. Only `true` allows, and only at once (L16): live views ask too often to wait. The first check
 * that fails is logged.
 */
export function createSight(
  authorizer: Authorizer,
  subject: Subject,
  log: Logger,
): (question: SightQuestion) => boolean {
  let hasFailed = false;
  const deny = (reason: unknown): false => {
    if (!hasFailed) log.error("permission check failed and counts as a denial", { user: subject.user }, reason);
    hasFailed = true;
    return false;
  };
  return ({ verb, resource, name = "" }) => {
    try {
      const answer = authorizer.isAllowed(subject, {
        kind: "resource",
        verb,
        apiGroup: fleetApiGroup,
        resource,
        subresource: "",
        namespace: "",
        name,
      });
      if (typeof answer === "boolean") return answer;
      void answer.catch(() => undefined); // a denial whatever it says
      return deny(new Error("the answer did not come at once"));
    } catch (reason) {
      return deny(reason);
    }
  };
}
