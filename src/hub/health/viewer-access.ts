// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { Subject } from "../../model/subject.ts";
import type { Authorizer } from "../../rpc/authorize.ts";

/** What may be asked of the hub's own resources. */
interface AccessQuestion {
  readonly verb: "get" | "list" | "watch";
  readonly resource: "clusters" | "rows";
  /** "" = all. */
  readonly name: string;
}

/** What one user sees of the fleet (PG12, L17). The page, the RPCs and `/health` all ask this. Each answer is judged anew. */
export interface ViewerAccess {
  /** True where the cluster may be shown: its registration, connection and history. */
  canSeeCluster(id: string): boolean;
  /** True where the contents of clusters may be shown too: kinds with their counts and errors, row counts, unhealthy objects. */
  seesObjects(): boolean;
  /** True where changes of rows may be followed. */
  watchesRows(): boolean;
}

/** Only `true` allows, and only at once (L16): live views ask too often to wait. The first check that fails is logged. */
export function createViewerAccess(authorizer: Authorizer, subject: Subject, log: Logger): ViewerAccess {
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
      void answer.catch(() => undefined); // a denial whatever it says
      return deny(new Error("the answer did not come at once"));
    } catch (reason) {
      return deny(reason);
    }
  };
  return {
    canSeeCluster: (name) => ask({ verb: "get", resource: "clusters", name }),
    seesObjects: () => ask({ verb: "list", resource: "rows", name: "" }),
    watchesRows: () => ask({ verb: "watch", resource: "rows", name: "" }),
  };
}
