"""From a soft network to a crisp program: closed-form statistics, coordinate descent, pooling, softening."""
