// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import { hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { ViewerSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { Subject } from "../../model/subject.ts";
import { type Authorizer, authorize } from "../../rpc/authorize.ts";

/** What the page asks the hub about each viewer. */
export interface ViewerOptions {
  readonly authorizer: Authorizer;
  readonly hubName: string;
  readonly version: string;
  /** Where agents reach the hub; asked when it serves. */
  readonly hubUrl: () => string;
  readonly log: Logger;
}

/**
 * Who looks, and what the page may offer them. It decides nothing: each call is judged again, so a wrong answer here shows a
 * button that is refused. A check that fails is a no.
 */
export async function toViewer(
  subject: Subject,
  expiresInMs: number,
  { authorizer, hubName, version, hubUrl, log }: ViewerOptions,
): Promise<MessageInitShape<typeof ViewerSchema>> {
  const may = async (verb: string, resource: string): Promise<boolean> => {
    const attributes = { kind: "resource", verb, apiGroup: fleetApiGroup, resource } as const;
    try {
      await authorize(authorizer, subject, { ...attributes, subresource: "", namespace: "", name: "" }, log);
      return true;
    } catch (reason) {
      if (!hasCode(reason, "PERMISSION_DENIED")) throw reason;
      return false;
    }
  };
  const [canSeeObjects, canChangeClusters, canCreateJoinTokens, canListClusters] = await Promise.all([
    may("list", "rows"),
    may("update", "clusters"),
    may("create", "jointokens"),
    may("list", "clusters"),
  ]);
  return {
    user: subject.user,
    groups: [...subject.groups],
    canSeeObjects,
    canChangeClusters,
    canCreateJoinTokens,
    canListClusters,
    hubName,
    hubVersion: version,
    expiresInMs: BigInt(expiresInMs),
    hubUrl: hubUrl(),
  };
}
