// SPDX-License-Identifier: Apache-2.0
import { fromBinary } from "@bufbuild/protobuf";
import { type ClusterUpdate, ClusterUpdateSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { ViewFold } from "./view-store.ts";

/** The parts of a cluster's page; undefined until received. */
export type ClusterPicture = Pick<ClusterUpdate, "cluster" | "hops" | "kinds" | "unhealthy" | "history" | "rates">;

/** Parts missing from an update stay unchanged. */
export const clusterFold: ViewFold<ClusterPicture> = {
  empty: {},
  fold(before, bytes) {
    const update = fromBinary(ClusterUpdateSchema, bytes);
    const { cluster = before.cluster, hops = before.hops, kinds = before.kinds } = update;
    const { unhealthy = before.unhealthy, history = before.history, rates = before.rates } = update;
    return {
      ...(cluster === undefined ? {} : { cluster }),
      ...(hops === undefined ? {} : { hops }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(unhealthy === undefined ? {} : { unhealthy }),
      ...(history === undefined ? {} : { history }),
      ...(rates === undefined ? {} : { rates }),
    };
  },
};
