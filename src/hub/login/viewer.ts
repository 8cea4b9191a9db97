// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import { hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { ViewerSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { Subject } from "../../model/subject.ts";
import { authorize, type CallAuthorizer } from "../../rpc/auth/authorize-call.ts";

/** Inputs for describing a viewer. */
export interface ViewerOptions {
  readonly authorizer: CallAuthorizer;
  readonly hubName: string;
  readonly version: string;
  /** The URL at which agents reach the hub. Called only while the hub serves. */
  readonly hubUrl: () => string;
  readonly log: Logger;
}

/**
 * The viewer's identity and which controls the page can show. Not an access decision: each call is authorised again, so
 * a wrong value only shows a button that is refused. A failed check counts as denied.
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
