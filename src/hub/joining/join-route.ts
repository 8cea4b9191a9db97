// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Route } from "../../rpc/http/route.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import type { JoinCodes } from "./join-codes.ts";
import type { JoinObservations } from "./join-observations.ts";
import { joinPath, type PublicName } from "./public-name.ts";

/** The contents of a join manifest. Secret: it includes the join token. */
export interface JoinManifest {
  readonly clusterId: string;
  readonly region: string;
  readonly environment: string;
  readonly objectReads: boolean;
  readonly hubUrl: string;
  /** The only CA that the agent trusts, in PEM. Undefined: the root CAs of the image. */
  readonly ca: string | undefined;
  readonly joinToken: string;
}

export interface JoinRouteOptions {
  readonly codes: JoinCodes;
  readonly trail: JoinObservations;
  readonly publicName: () => PublicName;
  readonly renderManifest: (manifest: JoinManifest) => string;
  readonly clock: Clock;
}

const suffix = ".yaml";

/**
 * `GET /join/v1/<code>.yaml`: serves the manifest to any client that has the code (IN13). The path contains the secret,
 * so logs name the route instead. Failed attempts are limited by address (IN14).
 */
export function createJoinRoute({ codes, trail, publicName, renderManifest, clock }: JoinRouteOptions): Route {
  const failures = new FailedAttempts(clock, "attempts to fetch a manifest");
  return {
    path: joinPath,
    match: "prefix",
    methods: ["GET"],
    access: { kind: "public", because: "the code in the path is the credential: 128 bits, for ten minutes" },
    async handler({ path, address, log }) {
      failures.assertAllowed(address);
      const text = path.endsWith(suffix) ? path.slice(joinPath.length, -suffix.length) : "";
      const found = await codes.exchange(text, address);
      if (found === undefined) {
        failures.noteFailure(address);
        throw new FlotillaError(
          "NOT_FOUND",
          "this join URL is unknown, expired or used; create another with `flotilla cluster join NAME`",
        );
      }
      trail.ring();
      const { record, token: joinToken } = found;
      log.info("join manifest fetched", { cluster: record.cluster, address });
      const { url: hubUrl, trust } = publicName();
      const { cluster: clusterId, region, environment, objectReads } = record;
      const ca = trust.kind === "pinned" ? trust.ca : undefined;
      const body = renderManifest({ clusterId, region, environment, objectReads, hubUrl, ca, joinToken });
      return { status: 200, contentType: "application/yaml", body };
    },
  };
}
