// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type Json, type JsonObject, textOf } from "../../json/json.ts";

/** An update strategy as error messages print it: in kube-apiserver's internal form. */
export function shownStrategy(strategy: JsonObject): Json {
  const rollingUpdate = getKey(strategy, "rollingUpdate");
  return {
    Type: textOf(strategy, "type"),
    RollingUpdate: isObject(rollingUpdate)
      ? {
          MaxUnavailable: getKey(rollingUpdate, "maxUnavailable") ?? 0,
          MaxSurge: getKey(rollingUpdate, "maxSurge") ?? 0,
        }
      : null,
  };
}
