// SPDX-License-Identifier: Apache-2.0
#include "explain/openapi.h"

namespace berth::explain {

// clang-format off
const std::string_view kOpenApi = R"openapi({
 "openapi": "3.0.3",
 "info": {
  "title": "Berth",
  "version": "v1",
  "description": "Questions to a running Berth. They change nothing. Pods of all namespaces are shown to whoever may ask."
 },
 "paths": {
  "/berth/v1/explain/pods/{namespace}/{name}": {
   "get": {
    "operationId": "explainPod",
    "summary": "Why a pod waits, or why it is where it is.",
    "parameters": [
     {"name": "namespace", "in": "path", "required": true, "schema": {"type": "string"}},
     {"name": "name", "in": "path", "required": true, "schema": {"type": "string"}},
     {
      "name": "whyNot",
      "in": "query",
      "required": false,
      "schema": {"type": "string"},
      "description": "A node that the answer is to speak of."
     },
     {
      "name": "nodes",
      "in": "query",
      "required": false,
      "schema": {"type": "boolean"},
      "description": "Whether it is to speak of every node."
     },
     {
      "name": "output",
      "in": "query",
      "required": false,
      "schema": {"type": "string", "enum": ["json", "text"], "default": "json"},
      "description": "The form of the answer: text is for people."
     }
    ],
    "responses": {
     "200": {
      "description": "The answer.",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/PodExplanation"}},
       "text/plain": {"schema": {"type": "string"}}
      }
     },
     "404": {
      "description": "There is no such pod.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
     },
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"},
     "429": {"$ref": "#/components/responses/TooMany"},
     "504": {"$ref": "#/components/responses/TooSlow"}
    }
   }
  },
  "/berth/v1/queue": {
   "get": {
    "operationId": "listQueue",
    "summary": "The pods that wait to be scheduled, in their order.",
    "parameters": [
     {
      "name": "limit",
      "in": "query",
      "required": false,
      "schema": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 500},
      "description": "How many are listed."
     },
     {
      "name": "output",
      "in": "query",
      "required": false,
      "schema": {"type": "string", "enum": ["json", "text"], "default": "json"},
      "description": "The form of the answer: text is for people."
     }
    ],
    "responses": {
     "200": {
      "description": "The answer.",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Queue"}},
       "text/plain": {"schema": {"type": "string"}}
      }
     },
     "400": {
      "description": "A parameter makes no sense.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
     },
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"},
     "429": {"$ref": "#/components/responses/TooMany"},
     "504": {"$ref": "#/components/responses/TooSlow"}
    }
   }
  },
  "/berth/v1/plan": {
   "post": {
    "operationId": "plan",
    "summary": "Where pods of these objects would go, whom they would evict, and what stays pending.",
    "requestBody": {
     "required": true,
     "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PlanQuestion"}}}
    },
    "responses": {
     "200": {
      "description": "The answer.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Plan"}}}
     },
     "400": {"$ref": "#/components/responses/BadQuestion"},
     "404": {"$ref": "#/components/responses/NotThere"},
     "413": {"$ref": "#/components/responses/TooLarge"},
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"},
     "429": {"$ref": "#/components/responses/TooMany"},
     "503": {"$ref": "#/components/responses/Unavailable"},
     "504": {"$ref": "#/components/responses/TooSlow"}
    }
   }
  },
  "/berth/v1/what-if": {
   "post": {
    "operationId": "whatIf",
    "summary": "The same after changes of the cluster.",
    "requestBody": {
     "required": true,
     "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WhatIfQuestion"}}}
    },
    "responses": {
     "200": {
      "description": "The answer.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Plan"}}}
     },
     "400": {"$ref": "#/components/responses/BadQuestion"},
     "404": {"$ref": "#/components/responses/NotThere"},
     "413": {"$ref": "#/components/responses/TooLarge"},
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"},
     "429": {"$ref": "#/components/responses/TooMany"},
     "503": {"$ref": "#/components/responses/Unavailable"},
     "504": {"$ref": "#/components/responses/TooSlow"}
    }
   }
  },
  "/berth/v1/capacity": {
   "post": {
    "operationId": "capacity",
    "summary": "How many more of a pod, or of a mix, there is room for.",
    "requestBody": {
     "required": true,
     "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CapacityQuestion"}}}
    },
    "responses": {
     "200": {
      "description": "The answer.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Capacity"}}}
     },
     "400": {"$ref": "#/components/responses/BadQuestion"},
     "404": {"$ref": "#/components/responses/NotThere"},
     "413": {"$ref": "#/components/responses/TooLarge"},
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"},
     "429": {"$ref": "#/components/responses/TooMany"},
     "503": {"$ref": "#/components/responses/Unavailable"},
     "504": {"$ref": "#/components/responses/TooSlow"}
    }
   }
  },
  "/berth/v1/nodes/{name}": {
   "get": {
    "operationId": "listNode",
    "summary": "The pods on a node, and what they request there.",
    "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}],
    "responses": {
     "200": {
      "description": "The answer.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}
     },
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"},
     "404": {
      "description": "There is no such node.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
     },
     "429": {"$ref": "#/components/responses/TooMany"},
     "504": {"$ref": "#/components/responses/TooSlow"}
    }
   }
  },
  "/berth/v1/live": {
   "get": {
    "operationId": "follow",
    "summary": "What the dashboard follows, where there is one: nodes and queue, as server-sent events.",
    "responses": {
     "200": {
      "description": "First an event `snapshot`, then an event `change` whenever something has changed, at most four a second. Their data is JSON for the dashboard of the same version.",
      "content": {"text/event-stream": {"schema": {"type": "string"}}}
     },
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"},
     "429": {
      "description": "As many follow as may.",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}}
     }
    }
   }
  },
  "/berth/v1/openapi": {
   "get": {
    "operationId": "openapi",
    "summary": "This document.",
    "responses": {
     "200": {"description": "The document.", "content": {"application/json": {"schema": {"type": "object"}}}},
     "401": {"$ref": "#/components/responses/Unknown"},
     "403": {"$ref": "#/components/responses/Forbidden"}
    }
   }
  }
 },
 "components": {
  "responses": {
   "Unknown": {
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}},
    "description": "Who asks is not known."
   },
   "Forbidden": {
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}},
    "description": "Who asks may not."
   },
   "TooMany": {
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}},
    "description": "Four questions are under way already; Retry-After says when to ask again."
   },
   "TooSlow": {
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}},
    "description": "No answer within 30 seconds."
   },
   "BadQuestion": {
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}},
    "description": "The question makes no sense; the message names the field."
   },
   "NotThere": {
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}},
    "description": "It names something that is not there."
   },
   "TooLarge": {"description": "The question is larger than 8 MiB."},
   "Unavailable": {
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Status"}}},
    "description": "The scheduler is stopping."
   }
  },
  "schemas": {
   "PodExplanation": {
    "type": "object",
    "properties": {
     "pod": {"$ref": "#/components/schemas/Pod"},
     "summary": {"type": "string", "description": "One sentence without its subject, the pod."},
     "queue": {"$ref": "#/components/schemas/QueuePlace"},
     "attempts": {
      "type": "array",
      "items": {"$ref": "#/components/schemas/Attempt"},
      "description": "Those that are remembered, the last one first."
     },
     "whyNot": {
      "allOf": [{"$ref": "#/components/schemas/NodeFinding"}],
      "description": "What the last attempt said of the node that was asked about."
     },
     "nodes": {
      "type": "array",
      "items": {"$ref": "#/components/schemas/NodeFinding"},
      "description": "The same of every node, with nodes=true."
     },
     "notes": {"type": "array", "items": {"type": "string"}, "description": "What is not known, and why."}
    },
    "required": ["attempts", "notes", "pod", "queue", "summary"],
    "additionalProperties": false
   },
   "Pod": {
    "type": "object",
    "properties": {
     "namespace": {"type": "string"},
     "name": {"type": "string"},
     "uid": {"type": "string"},
     "priority": {"type": "integer"},
     "schedulerName": {"type": "string"},
     "node": {"type": "string", "description": "Absent: it has none."},
     "nominatedNode": {"type": "string"}
    },
    "required": ["name", "namespace", "priority", "schedulerName", "uid"],
    "additionalProperties": false
   },
   "QueuePlace": {
    "type": "object",
    "properties": {
     "where": {
      "type": "string",
      "enum": [
       "none",
       "active",
       "backoff",
       "errorBackoff",
       "unschedulable",
       "gated",
       "awaitsGroup",
       "awaitsAttempt",
       "awaitsExtenders",
       "awaitsPermit",
       "binding"
      ]
     },
     "group": {"type": "string", "description": "namespace/name of the group that it is queued with."},
     "place": {"type": "integer", "description": "In the order of its queue, from 1."},
     "length": {"type": "integer"},
     "attempts": {"type": "integer"},
     "since": {"type": "string", "format": "date-time"},
     "cause": {"type": "string", "description": "The event that brought it there."},
     "waitsFor": {
      "type": "array",
      "items": {"type": "string"},
      "description": "Plugins that turned it down or hold it back."
     },
     "wokenBy": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "plugin": {"type": "string"},
        "event": {"type": "string"},
        "depends": {"type": "boolean", "description": "The plugin looks at what has changed first."}
       },
       "required": ["depends", "event", "plugin"],
       "additionalProperties": false
      },
      "description": "Events that may have it tried again."
     },
     "nextRetry": {"type": "string", "format": "date-time"},
     "mayBeEarlier": {"type": "boolean"}
    },
    "required": ["attempts", "waitsFor", "where", "wokenBy"],
    "additionalProperties": false
   },
   "Attempt": {
    "type": "object",
    "properties": {
     "number": {"type": "integer", "description": "Of the pod's attempts, from 1."},
     "began": {"type": "string", "format": "date-time"},
     "decided": {"type": "string", "format": "date-time"},
     "outcome": {"type": "string", "enum": ["scheduled", "unschedulable", "error"]},
     "message": {"type": "string"},
     "node": {"type": "string", "description": "The one chosen."},
     "nominatedNode": {"type": "boolean", "description": "It was the nominated node, and no other was looked at."},
     "nodeCount": {"type": "integer"},
     "feasibleCount": {"type": "integer"},
     "tiedCount": {"type": "integer", "description": "Nodes with the best score."},
     "tied": {"type": "array", "items": {"type": "string"}},
     "rejections": {
      "type": "array",
      "items": {"$ref": "#/components/schemas/Rejection"},
      "description": "Largest first."
     },
     "scores": {
      "type": "array",
      "items": {"$ref": "#/components/schemas/Score"},
      "description": "The best nodes, the chosen one first."
     },
     "preemption": {"$ref": "#/components/schemas/Preemption"},
     "group": {"$ref": "#/components/schemas/Group"},
     "wokenBy": {
      "type": "object",
      "properties": {"cause": {"type": "string"}, "plugin": {"type": "string"}},
      "required": ["cause"],
      "additionalProperties": false
     },
     "declinedEvents": {
      "type": "object",
      "properties": {"count": {"type": "integer"}, "last": {"type": "string"}},
      "required": ["count"],
      "additionalProperties": false,
      "description": "Events of which no plugin expected anything."
     },
     "waitedSeconds": {
      "type": "object",
      "properties": {
       "active": {"type": "number"},
       "backoff": {"type": "number"},
       "unschedulable": {"type": "number"}
      },
      "required": ["active", "backoff", "unschedulable"],
      "additionalProperties": false
     },
     "permitted": {"type": "string", "format": "date-time"},
     "bound": {"type": "string", "format": "date-time"},
     "refused": {"type": "string", "format": "date-time", "description": "When it was given up again."}
    },
    "required": [
     "began",
     "decided",
     "declinedEvents",
     "feasibleCount",
     "nodeCount",
     "number",
     "outcome",
     "rejections",
     "scores",
     "tied",
     "tiedCount",
     "waitedSeconds",
     "wokenBy"
    ],
    "additionalProperties": false
   },
   "Rejection": {
    "type": "object",
    "properties": {
     "plugin": {"type": "string", "description": "Empty: no plugin is to blame."},
     "code": {"type": "string"},
     "reasons": {"type": "array", "items": {"type": "string"}},
     "count": {"type": "integer"},
     "nodes": {"type": "array", "items": {"type": "string"}, "description": "The first by name."}
    },
    "required": ["count", "nodes", "plugin", "reasons"],
    "additionalProperties": false
   },
   "Score": {
    "type": "object",
    "properties": {
     "node": {"type": "string"},
     "total": {"type": "integer"},
     "plugins": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "Weighted."}
    },
    "required": ["node", "plugins", "total"],
    "additionalProperties": false
   },
   "Preemption": {
    "type": "object",
    "properties": {
     "message": {"type": "string"},
     "candidateCount": {"type": "integer"},
     "candidates": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "node": {"type": "string"},
        "victims": {"type": "array", "items": {"type": "string"}},
        "pdbViolations": {"type": "integer"},
        "highestPriority": {"type": "integer"},
        "prioritySum": {"type": "integer"},
        "chosen": {"type": "boolean"}
       },
       "required": ["chosen", "highestPriority", "node", "pdbViolations", "prioritySum", "victims"],
       "additionalProperties": false
      }
     }
    },
    "required": ["candidateCount", "candidates", "message"],
    "additionalProperties": false
   },
   "Group": {
    "type": "object",
    "properties": {
     "name": {"type": "string"},
     "preemption": {"type": "string"},
     "domains": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "group": {"type": "string"},
        "name": {"type": "string"},
        "message": {"type": "string"},
        "members": {"type": "object", "additionalProperties": {"type": "string"}}
       },
       "required": ["group", "members", "message", "name"],
       "additionalProperties": false
      },
      "description": "The first in which it does not fit."
     }
    },
    "required": ["domains", "name"],
    "additionalProperties": false
   },
   "NodeFinding": {
    "type": "object",
    "properties": {
     "node": {"type": "string"},
     "verdict": {"type": "string", "enum": ["chosen", "feasible", "rejected", "notLookedAt", "unknown"]},
     "plugin": {"type": "string"},
     "code": {"type": "string"},
     "reasons": {"type": "array", "items": {"type": "string"}},
     "score": {"$ref": "#/components/schemas/Score"},
     "chosenScore": {"$ref": "#/components/schemas/Score"}
    },
    "required": ["node", "verdict"],
    "additionalProperties": false
   },
   "Queue": {
    "type": "object",
    "properties": {
     "time": {"type": "string", "format": "date-time"},
     "counts": {
      "type": "object",
      "properties": {
       "active": {"type": "integer"},
       "backoff": {"type": "integer"},
       "unschedulable": {"type": "integer"},
       "gated": {"type": "integer"},
       "awaitsGroup": {"type": "integer"},
       "binding": {"type": "integer"}
      },
      "required": ["active", "awaitsGroup", "backoff", "binding", "gated", "unschedulable"],
      "additionalProperties": false
     },
     "total": {"type": "integer", "description": "Pods that wait, those that are not listed included."},
     "pods": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "namespace": {"type": "string"},
        "name": {"type": "string"},
        "priority": {"type": "integer"},
        "queue": {"$ref": "#/components/schemas/QueuePlace"}
       },
       "required": ["name", "namespace", "priority", "queue"],
       "additionalProperties": false
      }
     }
    },
    "required": ["counts", "pods", "time", "total"],
    "additionalProperties": false
   },
   "PlanQuestion": {
    "type": "object",
    "properties": {
     "objects": {
      "type": "array",
      "items": {"type": "object", "description": "A manifest."},
      "description": "Applied in this order.",
      "maxItems": 10000
     }
    },
    "additionalProperties": false
   },
   "WhatIfQuestion": {
    "type": "object",
    "properties": {
     "changes": {
      "type": "array",
      "items": {"$ref": "#/components/schemas/Change"},
      "description": "Made in this order, before objects are applied.",
      "maxItems": 1000
     },
     "objects": {
      "type": "array",
      "items": {"type": "object", "description": "A manifest."},
      "description": "Applied in this order.",
      "maxItems": 10000
     }
    },
    "additionalProperties": false
   },
   "Change": {
    "type": "object",
    "properties": {
     "addNodes": {
      "type": "object",
      "properties": {
       "count": {
        "type": "integer",
        "minimum": 1,
        "maximum": 10000,
        "default": 1,
        "description": "10,000 in all changes together."
       },
       "like": {"type": "string", "description": "A node that they are like."},
       "node": {"type": "object", "description": "A manifest, in place of like."},
       "labels": {
        "type": "object",
        "additionalProperties": {"type": "string", "nullable": true},
        "description": "Null takes one away."
       }
      },
      "additionalProperties": false
     },
     "removeNodes": {
      "type": "object",
      "properties": {
       "names": {"type": "array", "items": {"type": "string"}},
       "selector": {"type": "string", "description": "Of labels, such as zone=eu-1a."}
      },
      "additionalProperties": false
     },
     "cordon": {
      "type": "object",
      "properties": {
       "names": {"type": "array", "items": {"type": "string"}},
       "selector": {"type": "string", "description": "Of labels, such as zone=eu-1a."}
      },
      "additionalProperties": false
     },
     "uncordon": {
      "type": "object",
      "properties": {
       "names": {"type": "array", "items": {"type": "string"}},
       "selector": {"type": "string", "description": "Of labels, such as zone=eu-1a."}
      },
      "additionalProperties": false
     },
     "label": {
      "type": "object",
      "properties": {
       "names": {"type": "array", "items": {"type": "string"}},
       "selector": {"type": "string", "description": "Of labels, such as zone=eu-1a."},
       "labels": {
        "type": "object",
        "additionalProperties": {"type": "string", "nullable": true},
        "description": "Null takes one away."
       }
      },
      "required": ["labels"],
      "additionalProperties": false
     },
     "taint": {
      "type": "object",
      "properties": {
       "names": {"type": "array", "items": {"type": "string"}},
       "selector": {"type": "string", "description": "Of labels, such as zone=eu-1a."},
       "taints": {
        "type": "array",
        "items": {
         "type": "object",
         "properties": {"key": {"type": "string"}, "value": {"type": "string"}, "effect": {"type": "string"}},
         "required": ["key"],
         "additionalProperties": false
        }
       }
      },
      "required": ["taints"],
      "additionalProperties": false
     },
     "untaint": {
      "type": "object",
      "properties": {
       "names": {"type": "array", "items": {"type": "string"}},
       "selector": {"type": "string", "description": "Of labels, such as zone=eu-1a."},
       "taints": {
        "type": "array",
        "items": {
         "type": "object",
         "properties": {"key": {"type": "string"}, "value": {"type": "string"}, "effect": {"type": "string"}},
         "required": ["key"],
         "additionalProperties": false
        }
       }
      },
      "required": ["taints"],
      "additionalProperties": false
     },
     "patch": {
      "type": "object",
      "properties": {
       "kind": {"type": "string"},
       "namespace": {"type": "string"},
       "name": {"type": "string"},
       "patch": {"type": "object", "description": "A JSON merge patch."}
      },
      "required": ["kind", "name", "patch"],
      "additionalProperties": false
     },
     "delete": {
      "type": "object",
      "properties": {"kind": {"type": "string"}, "namespace": {"type": "string"}, "name": {"type": "string"}},
      "required": ["kind", "name"],
      "additionalProperties": false
     }
    },
    "additionalProperties": false,
    "minProperties": 1,
    "maxProperties": 1
   },
   "CapacityQuestion": {
    "type": "object",
    "properties": {
     "pods": {
      "type": "array",
      "items": {"type": "object", "description": "A manifest."},
      "description": "Of pods, or of what has a template of one; several are a mix.",
      "minItems": 1,
      "maxItems": 100
     },
     "limit": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10000,
      "default": 10000,
      "description": "Where counting ends, if pods have to be put one after the other."
     }
    },
    "required": ["pods"],
    "additionalProperties": false
   },
   "Plan": {
    "type": "object",
    "properties": {
     "pods": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "namespace": {"type": "string"},
        "name": {"type": "string"},
        "owner": {"type": "string", "description": "Such as Deployment default/web; absent: none."},
        "outcome": {"type": "string", "enum": ["placed", "pending", "gated", "ignored"]},
        "node": {"type": "string", "description": "Of one that is placed."},
        "message": {"type": "string", "description": "Why it is not placed."},
        "wasPending": {"type": "boolean", "description": "It waited already before the question."}
       },
       "required": ["name", "namespace", "outcome"],
       "additionalProperties": false
      },
      "description": "Pods that came, and those that waited and got a place."
     },
     "evictions": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {
        "pod": {"type": "string", "description": "namespace/name."},
        "node": {"type": "string"},
        "preemptor": {"type": "string", "description": "namespace/name."},
        "priority": {"type": "integer"},
        "owner": {"type": "string"}
       },
       "required": ["node", "pod", "preemptor", "priority"],
       "additionalProperties": false
      },
      "description": "In their order."
     },
     "unplaced": {"type": "integer", "description": "Pods that came and have no place."},
     "stillPending": {"type": "integer", "description": "Pods that waited before and wait on."},
     "utilization": {
      "type": "object",
      "properties": {
       "before": {"$ref": "#/components/schemas/Usage"},
       "after": {"$ref": "#/components/schemas/Usage"}
      },
      "required": ["after", "before"],
      "additionalProperties": false
     },
     "notKnown": {"type": "array", "items": {"type": "string"}, "description": "What the answer could not know."}
    },
    "required": ["evictions", "notKnown", "pods", "stillPending", "unplaced", "utilization"],
    "additionalProperties": false
   },
   "Usage": {
    "type": "object",
    "properties": {
     "pods": {
      "type": "object",
      "properties": {"requested": {"type": "integer"}, "allocatable": {"type": "integer"}},
      "required": ["allocatable", "requested"],
      "additionalProperties": false
     },
     "cpuMilli": {
      "type": "object",
      "properties": {"requested": {"type": "integer"}, "allocatable": {"type": "integer"}},
      "required": ["allocatable", "requested"],
      "additionalProperties": false
     },
     "memoryBytes": {
      "type": "object",
      "properties": {"requested": {"type": "integer"}, "allocatable": {"type": "integer"}},
      "required": ["allocatable", "requested"],
      "additionalProperties": false
     }
    },
    "required": ["cpuMilli", "memoryBytes", "pods"],
    "additionalProperties": false,
    "description": "Of all nodes together."
   },
   "Capacity": {
    "type": "object",
    "properties": {
     "count": {"type": "integer", "description": "Of pods, or of whole mixes."},
     "limited": {"type": "boolean", "description": "Counting ended at the limit: there may be room for more."},
     "nodes": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {"node": {"type": "string"}, "count": {"type": "integer"}},
       "required": ["count", "node"],
       "additionalProperties": false
      },
      "description": "Pods by node."
     },
     "zones": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {"zone": {"type": "string"}, "count": {"type": "integer"}},
       "required": ["count", "zone"],
       "additionalProperties": false
      },
      "description": "Pods by zone."
     },
     "nodeClasses": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {"nodeClass": {"type": "string"}, "count": {"type": "integer"}},
       "required": ["count", "nodeClass"],
       "additionalProperties": false
      },
      "description": "Pods by kind of node."
     },
     "ends": {
      "type": "array",
      "items": {
       "type": "object",
       "properties": {"reason": {"type": "string"}, "count": {"type": "integer"}},
       "required": ["count", "reason"],
       "additionalProperties": false
      },
      "description": "Why no more fit, and on how many nodes."
     },
     "notKnown": {"type": "array", "items": {"type": "string"}, "description": "What the answer could not know."}
    },
    "required": ["count", "ends", "limited", "nodeClasses", "nodes", "notKnown", "zones"],
    "additionalProperties": false
   },
   "Node": {
    "type": "object",
    "properties": {
     "node": {"type": "string"},
     "podCount": {"type": "integer"},
     "pods": {
      "type": "array",
      "description": "The first 500, by namespace and name.",
      "items": {
       "type": "object",
       "properties": {
        "namespace": {"type": "string"},
        "name": {"type": "string"},
        "owner": {"type": "string", "description": "Kind and name of its controller."},
        "priority": {"type": "integer"},
        "requests": {
         "type": "object",
         "additionalProperties": {"type": "integer"},
         "description": "cpu in thousandths of a core, the rest in units."
        }
       },
       "required": ["name", "namespace", "priority", "requests"],
       "additionalProperties": false
      }
     }
    },
    "required": ["node", "podCount", "pods"],
    "additionalProperties": false
   },
   "Status": {
    "type": "object",
    "description": "An error, as the API server words it.",
    "properties": {
     "kind": {"type": "string"},
     "apiVersion": {"type": "string"},
     "metadata": {"type": "object"},
     "status": {"type": "string"},
     "message": {"type": "string"},
     "reason": {"type": "string"},
     "code": {"type": "integer"}
    },
    "required": ["code", "kind", "message", "reason"]
   }
  }
 }
})openapi";
// clang-format on

}  // namespace berth::explain
