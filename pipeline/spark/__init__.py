"""Spark itself: `session` starts and ends it, `java` finds a Java for it, `progress` follows a job."""
