//! Several tests at once.

/// Which of several variants are better, when the chance that any of them is called so wrongly is to stay below
/// `alpha`: Holm's procedure on e-values. The larger the e-value, the surer.
pub fn holm(e_values: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..e_values.len()).filter(|&at| !e_values[at].is_nan()).collect();
    order.sort_by(|&one, &other| e_values[other].total_cmp(&e_values[one]));
    let mut better = vec![false; e_values.len()];
    // Those that are no numbers still count as tests that were made.
    let mut left = super::super::score::count(e_values.len());
    for at in order {
        if e_values[at] < left / alpha {
            break;
        }
        better[at] = true;
        left -= 1.0;
    }
    better
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_falls_with_every_variant_that_has_passed_it() {
        for (e_values, expected) in [
            (&[20.0][..], &[true][..]),
            (&[19.9], &[false]),
            (&[20.0, 40.0], &[true, true]),
            (&[39.0, 39.0], &[false, false]),
            (&[20.0, 1.0, 59.0], &[false, false, false]),
            (&[1.0, 45.0, 60.0, f64::NAN], &[false, false, false, false]),
            (&[1.0, 60.0, 80.0, f64::NAN], &[false, true, true, false]),
            (&[], &[]),
        ] {
            assert_eq!(holm(e_values, 0.05), expected, "{e_values:?}");
        }
    }
}
