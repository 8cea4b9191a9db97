// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { Subject } from "../../model/subject.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";

/** A permission check on the hub's own resources. */
interface AccessQuestion {
  readonly verb: "get" | "list" | "watch";
  readonly resource: "clusters" | "rows";
  /** "": all. */
  readonly name: string;
}

/**
 * What one user may see of the fleet (PG12, L17). Used by the page, the RPCs and `/health`. Each call checks the
 * permission again.
 */
export interface ViewerAccess {
  readonly subject: Subject;
  /** Whether the cluster may be shown: its registration, connection and history. */
  canSeeCluster(id: string): boolean;
  /** Whether the contents of clusters may be shown: kinds with counts and errors, row counts, unhealthy objects. */
  seesObjects(): boolean;
  /** Whether changes of rows may be watched. */
  watchesRows(): boolean;
}

/** Only a synchronous `true` allows (L16): live views check too often to wait. The first failed check is logged. */
export function createViewerAccess(authorizer: CallAuthorizer, subject: Subject, log: Logger): ViewerAccess {
  let hasFailed = false;
  const deny = (reason: unknown): false => {
    if (!hasFailed) log.error("permission check failed and counts as a denial", { user: subject.user }, reason);
    hasFailed = true;
    return false;
  };
  const ask = (question: AccessQuestion): boolean => {
    try {
      const answer = authorizer.isAllowed(subject, {
        kind: "resource",
        apiGroup: fleetApiGroup,
        subresource: "",
        namespace: "",
        ...question,
      });
      if (typeof answer === "boolean") return answer;
      void answer.catch(() => undefined); // denied whatever the result
      return deny(new Error("the authorizer did not answer synchronously"));
    } catch (reason) {
      return deny(reason);
    }
  };
  return {
    subject,
    canSeeCluster: (name) => ask({ verb: "get", resource: "clusters", name }),
    seesObjects: () => ask({ verb: "list", resource: "rows", name: "" }),
    watchesRows: () => ask({ verb: "watch", resource: "rows", name: "" }),
  };
}
