// SPDX-License-Identifier: Apache-2.0
import { identityOf, type ObjectIdentity } from "../../kinds/object-identity.ts";
import { faultOfStatus, KubeError } from "../kube-error.ts";
import { fieldOf, isJsonObject, parseJson, textOf } from "./parse-kube-json.ts";
import { type StripObject, stripObject } from "./strip-object.ts";

/** An object in its current state, or in its last state if it was deleted. */
export interface WatchedChange {
  readonly kind: "object" | "deleted";
  readonly object: unknown;
  readonly identity: ObjectIdentity;
  readonly resourceVersion: string;
}

/** Progress without an object. */
export interface Bookmark {
  readonly kind: "bookmark";
  readonly resourceVersion: string;
  /** The initial events of a WatchList are complete (KU11). */
  readonly endsInitialEvents: boolean;
}

const initialEventsEnd = "k8s.io/initial-events-end";

function parseBookmark(object: unknown, resourceVersion: string): Bookmark {
  const annotations = fieldOf(fieldOf(object, "metadata"), "annotations");
  return { kind: "bookmark", resourceVersion, endsInitialEvents: fieldOf(annotations, initialEventsEnd) === "true" };
}

/** The limit on the length of a server's message that is shown to people. */
const longestMessage = 500;

/** Converts the Status object of a watch's ERROR event to an error (KU12). Without a status code it is `malformed`. */
function errorOfStatus(status: unknown, what: string): KubeError {
  const code = fieldOf(status, "code");
  const retryAfterSeconds = fieldOf(fieldOf(status, "details"), "retryAfterSeconds");
  const message = textOf(status, "message").slice(0, longestMessage);
  return new KubeError(
    faultOfStatus(typeof code === "number" ? code : 0),
    `${what} was closed by the server: ${message === "" ? "no reason given" : message}`,
    {
      ...(typeof code === "number" ? { status: code } : {}),
      ...(typeof retryAfterSeconds === "number" && retryAfterSeconds > 0
        ? { retryAfterMs: retryAfterSeconds * 1_000 }
        : {}),
    },
  );
}

/**
 * Parses one line of a watch; `what` names it in messages. Throws the error of an ERROR event, such as `expired`
 * (KU12), and `malformed` for a line that is not an event: skipping it would leave an undetected gap.
 */
export function parseWatchEvent(
  line: Uint8Array,
  what: string,
  strip: StripObject = stripObject,
): WatchedChange | Bookmark {
  const event = parseJson(line, `an event of ${what}`);
  const type = textOf(event, "type");
  const object = fieldOf(event, "object");
  if (type === "ERROR") throw errorOfStatus(object, what);
  const identity = identityOf(object);
  const { resourceVersion } = identity;
  if (!isJsonObject(object) || resourceVersion === "") {
    throw new KubeError("malformed", `an event of ${what} has no object with a resourceVersion`);
  }
  if (type === "BOOKMARK") return parseBookmark(object, resourceVersion);
  strip(object);
  if (type === "ADDED" || type === "MODIFIED") return { kind: "object", object, identity, resourceVersion };
  if (type === "DELETED") return { kind: "deleted", object, identity, resourceVersion };
  throw new KubeError("malformed", `${what} sent an event of an unknown type`);
}
