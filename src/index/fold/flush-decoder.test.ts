// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { bucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { bucketOf } from "../../model/rows/testing/key-digests.ts";
import { decodeStoredPart } from "./decode-part.ts";
import { FlushDecoder } from "./flush-decoder.ts";
import { encodePods, foldHasher, podRow } from "./testing/fold-rows.ts";

const pod = podRow({ name: "a" });
const bytes = encodePods([pod]);
const bucket = bucketOf(pod, sessionBucketCount);

describe("the decoder of a flush", () => {
  test("a delta and the replacement of a bucket are decoded", () => {
    const decoder = new FlushDecoder(foldHasher);
    const delta = decoder.decode({ resource: "pods", replacedBucket: 0, bytes });
    expect([delta.form, [...delta.batch.rows()]]).toEqual([{ kind: "delta" }, [pod]]);
    const code = bucketCode(sessionBucketCount, bucket);
    const replaced = decoder.decode({ resource: "pods", replacedBucket: code, bytes });
    expect(replaced.form).toEqual({ kind: "replace", bucket: code });
    expect(decodeStoredPart({ resource: "pods", replacedBucket: code, bytes }, foldHasher)).toMatchObject({
      droppedCount: 0,
      fault: "",
    });
  });

  test("[SE4] a part of another resource or bucket, or that is no batch, is refused", () => {
    const decoder = new FlushDecoder(foldHasher);
    const decode =
      (resource: string, replacedBucket: number, given = bytes): (() => unknown) =>
      () =>
        decoder.decode({ resource, replacedBucket, bytes: given });
    expect(decode("services", 0)).toThrow("a batch of pods came as one of services");
    expect(decode("pods", -1)).toThrow("-1 is not the code of a bucket");
    const other = bucketCode(sessionBucketCount, (bucket + 1) % sessionBucketCount);
    expect(decode("pods", other)).toThrow(`a row of another bucket came in place of bucket ${other}`);
    const deleting = encodePods([], [{ namespace: "default", name: "a", uid: "" }]);
    expect(decode("pods", bucketCode(1, 0), deleting)).toThrow("a replaced bucket comes with deletes");
    expect(decode("pods", 0, Uint8Array.of(1, 2, 3))).toThrow("not a row batch");
  });

  test("[CO67] the batches of a flush have a limit together", () => {
    const decoder = new FlushDecoder(foldHasher);
    const { partLimitBytes } = decoder;
    const large = new Uint8Array(partLimitBytes + 1);
    expect(() => decoder.decode({ resource: "pods", replacedBucket: 0, bytes: large })).toThrow("more than");
    for (let at = 0; at < 4; at += 1)
      expect(() =>
        decoder.decode({ resource: "pods", replacedBucket: 0, bytes: large.subarray(0, partLimitBytes) }),
      ).toThrow("not a row batch");
    expect(decoder.partLimitBytes).toBe(0);
  });
});
